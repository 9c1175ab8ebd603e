// How long the tests run. CCL_TEST_LENGTH names one of four lengths, each called after the command that runs it; without
// it, as where a folder is tested by hand, the length is that of CI. Files called x.ci.test.ts belong to `ci` and up.

/** From the shortest to the longest: how often a property is tried, and how often a loop kills a process. */
export const testLengths = {
  test: { propertyRuns: 15, kills: 1 },
  ci: { propertyRuns: 100, kills: 3 },
  faults: { propertyRuns: 2_000, kills: 20 },
  nightly: { propertyRuns: 10_000, kills: 100 },
};

/** The length of this run. */
export const testLength = process.env.CCL_TEST_LENGTH ?? "ci";
const names = Object.keys(testLengths);
if (!names.includes(testLength))
  throw new Error(`CCL_TEST_LENGTH is ${testLength}; use one of: ${names.join(", ")}`);

/** How often a property is tried, and how often a loop kills a process, in this run. */
export const { propertyRuns, kills } = testLengths[testLength];

/** True in a run of that length, and in longer ones. */
export function isAtLeast(length) {
  return names.indexOf(testLength) >= names.indexOf(length);
}

/** The value of this run's length, else that of the next shorter one which has a value. */
export function byLength(values) {
  return values[names.findLast((name) => name in values && isAtLeast(name))];
}
