// An order of a module's functions in which similar ones stand together: gzip looks back only 32 KB.

import { functions, withFunctionNames } from "./wasm-map.mjs";

/** Functions are similar when they share runs of so many bytes. */
const RUN = 6;
/** A run that more functions have says nothing. */
const COMMON = 100;
/** How far back to look for similar ones, in bytes of code. */
const BACK = 20_000;

function runs(body) {
  const found = new Set();
  for (let at = 0; at + RUN <= body.length; at++) {
    let hash = 0;
    for (let index = at; index < at + RUN; index++) hash = (hash * 257 + body[index]) % 4_294_967_291;
    found.add(hash);
  }
  return found;
}

/** Which functions have a run, for each run that few have. */
function owners(all) {
  const found = new Map();
  for (const [index, each] of all.entries()) {
    for (const run of each) {
      const list = found.get(run);
      if (list === undefined) found.set(run, [index]);
      else list.push(index);
    }
  }
  for (const [run, list] of found) if (list.length >= COMMON) found.delete(run);
  return found;
}

/** The positions of the bodies in their new order: each is the one that has most in common with those before it. */
function order(bodies) {
  const all = bodies.map(runs);
  const shared = owners(all);
  const seen = new Map();
  const scores = new Float64Array(bodies.length);
  const count = (index, step) => {
    for (const run of all[index]) {
      const before = seen.get(run) ?? 0;
      seen.set(run, before + step);
      if (before + Math.min(step, 0) !== 0) continue;
      for (const owner of shared.get(run) ?? []) scores[owner] += step;
    }
  };
  const left = new Set(bodies.keys());
  const [ordered, near] = [[], []];
  let bytes = 0;
  while (left.size > 0) {
    let [next, most] = [-1, -1];
    for (const index of left) {
      const score = scores[index] / (all[index].size + 8) ** 0.7;
      if (score > most) [next, most] = [index, score];
    }
    left.delete(next);
    ordered.push(next);
    near.push(next);
    count(next, 1);
    bytes += bodies[next].length;
    while (bytes > BACK && near.length > 1) {
      const far = near.shift();
      count(far, -1);
      bytes -= bodies[far].length;
    }
  }
  return ordered;
}

/** The module with a number before each function's name, by which `--reorder-functions-by-name` puts it in order. */
export function numbered(module) {
  const { list } = functions(module);
  const names = list.map(({ name }) => name);
  for (const [rank, index] of order(list.map(({ body }) => body)).entries()) {
    names[index] = `${String(rank).padStart(5, "0")} ${names[index]}`;
  }
  return withFunctionNames(module, names);
}
