import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureNpm } from "../../pkg-template/scripts/environment.mjs";
import { stream } from "./process.mjs";

const reporter = fileURLToPath(new URL("reporter.mjs", import.meta.url));

/** Runs every *.test.{mjs,ts} of a folder with Node's test runner. */
export async function nodeTest(folder, { env, args = [] } = {}) {
  ensureNpm(folder);
  const files = readdirSync(folder).filter((name) => /\.test\.(mjs|ts)$/.test(name));
  if (files.length === 0) throw new Error(`no test files in ${folder}`);
  const temporary = mkdtempSync(join(tmpdir(), "ackgate-tests-"));
  const report = join(temporary, "totals.json");
  const reporters = [
    ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
    ...[`--test-reporter=${reporter}`, `--test-reporter-destination=${report}`],
  ];
  const { ok } = await stream(process.execPath, [...args, "--test", ...reporters, ...files], { cwd: folder, env });
  const { notes, ...total } = existsSync(report)
    ? JSON.parse(readFileSync(report, "utf8") || '{"passed":0,"failed":1,"skipped":0,"notes":["no report"]}')
    : { passed: 0, failed: 1, skipped: 0, notes: ["no report"] };
  rmSync(temporary, { recursive: true, force: true });
  for (const note of notes) console.log(note);
  if (!ok && total.failed === 0) total.failed = 1;
  return total;
}
