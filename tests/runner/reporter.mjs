// Counts leaf tests for run.mjs: one JSON object when the run is over.

import { resolve } from "node:path";

export default async function* reporter(source) {
  const total = { passed: 0, failed: 0, skipped: 0, notes: [] };
  const seen = [];

  const count = ({ type, data }) => {
    const hasChildren = seen[data.nesting + 1] === true;
    seen[data.nesting + 1] = false;
    seen[data.nesting] = true;
    const isFile = data.nesting === 0 && data.file !== undefined && resolve(data.name) === data.file;
    if (type === "test:fail") {
      // Failed children are counted themselves.
      if (data.details.error?.failureType !== "subtestsFailed") total.failed += 1;
    } else if (isFile && !hasChildren) {
      total.failed += 1;
      total.notes.push(`${data.name} has no tests`);
    } else if ((data.skip ?? data.todo) !== undefined) {
      const reason = data.skip ?? data.todo;
      total.skipped += 1;
      total.notes.push(`skipped: ${data.name} (${reason === true ? "no reason given" : reason})`);
    } else if (data.details.type !== "suite" && !hasChildren) {
      total.passed += 1;
    }
  };

  for await (const event of source) {
    if (event.type === "test:pass" || event.type === "test:fail") count(event);
  }
  yield JSON.stringify(total);
}
