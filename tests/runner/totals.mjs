export const nothing = { passed: 0, failed: 0, skipped: 0 };

export const sum = (results) =>
  results.reduce(
    (total, result) => ({
      passed: total.passed + result.passed,
      failed: total.failed + result.failed,
      skipped: total.skipped + result.skipped,
      vectors: total.vectors ?? result.vectors,
    }),
    { ...nothing, vectors: undefined },
  );

export function show({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
