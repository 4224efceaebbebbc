import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { output, project } from "./project.mjs";

const bin = (name) => join(import.meta.dirname, "node_modules/.bin", name);
const strict = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2022"];
const source = `
import { createGate } from "ackgate";
import { postgresState } from "ackgate/postgres";
import { redisState } from "ackgate/redis";
import { sessionStateSuite, testGate } from "ackgate/testing";
export const make: Function[] = [createGate, postgresState, redisState, sessionStateSuite, testGate];
`;

function check(t, options, main = source) {
  const folder = project(t, { "main.ts": main });
  output(bin("tsc"), [...strict, ...options, "main.ts"], folder);
}

// The declarations are checked too: no --skipLibCheck.
const roots = ["--typeRoots", join(import.meta.dirname, "node_modules/@types")];
const node = ["--module", "nodenext", "--lib", "es2022,esnext.disposable", "--types", "node", ...roots];

test("a Node project", (t) => check(t, node));

test("a host's own context: what it requires is required in every scope", (t) => {
  check(t, node, readFileSync(join(import.meta.dirname, "fixtures/context.ts"), "utf8"));
});

test("a browser project with a bundler", (t) => {
  const libraries = "es2022,dom,dom.iterable,dom.asynciterable,esnext.disposable";
  check(t, ["--module", "preserve", "--moduleResolution", "bundler", "--lib", libraries]);
});
