// Every test of the repository: `npm test`, `npm test -- SUITE...`, `npm run check` (--quick).

import { suites } from "./runner/suites.mjs";
import { nothing, show, sum } from "./runner/totals.mjs";

const strict = process.env.CI === "true";
const wanted = process.argv.slice(2);
const quick = wanted.includes("--quick");
const names = wanted.filter((argument) => argument !== "--quick");

const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
if (unknown.length > 0) {
  console.error(`no suite ${unknown.join(", ")}; there are ${suites.map((suite) => suite.name).join(", ")}`);
  process.exit(2);
}

function selected() {
  if (names.length === 0) return quick ? suites.filter((suite) => suite.quick) : suites;
  const chosen = new Set(names);
  for (const suite of [...suites].reverse()) {
    if (chosen.has(suite.name)) for (const dependency of suite.after ?? []) chosen.add(dependency);
  }
  return suites.filter((suite) => chosen.has(suite.name));
}

const missing = (suite) => suite.needs?.();

async function runSuite(suite, results) {
  const broken = (suite.after ?? []).filter((name) => results.get(name)?.failed > 0);
  if (broken.length > 0) {
    console.error(`not run: ${broken.join(", ")} failed`);
    return { ...nothing, failed: 1 };
  }
  const reason = missing(suite);
  if (reason !== undefined) {
    console.log(`skipped: ${suite.name} (${reason})`);
    return { ...nothing, skipped: 1 };
  }
  try {
    return await suite.run();
  } catch (error) {
    console.error(error.message);
    return { ...nothing, failed: 1 };
  }
}

/** The tables must have run in the same number everywhere. */
function compareVectors(results) {
  const ran = suites.filter((suite) => suite.vectors && results.has(suite.name) && !missing(suite));
  if (ran.length === 0) return nothing;
  const numbers = ran.map((suite) => results.get(suite.name).vectors);
  console.log(`\nvectors: ${ran.map((suite, index) => `${numbers[index] ?? "none"} ${suite.vectors}`).join(", ")}`);
  if (numbers[0] !== undefined && numbers.every((number) => number === numbers[0])) return nothing;
  console.error("the number of vectors is missing or differs");
  return { ...nothing, failed: 1 };
}

const results = new Map();
const lines = [];
for (const suite of selected()) {
  console.log(`\n=== ${suite.name}`);
  const start = performance.now();
  const result = await runSuite(suite, results);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  results.set(suite.name, result);
  lines.push(`${suite.name}: ${show(result)} (${seconds} s)`);
  console.log(lines.at(-1));
}

const total = sum([...results.values(), compareVectors(results)]);
console.log(`\n${lines.join("\n")}`);
if (strict && total.skipped > 0) {
  console.error("a skip is a failure when CI is set");
  total.failed += total.skipped;
  total.skipped = 0;
}
console.log(show(total));
process.exitCode = total.failed > 0 ? 1 : 0;
