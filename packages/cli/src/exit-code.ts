/** Every exit code of `ccl`. The README has the same table. */
export const EXIT_CODES = {
  ok: 0,
  failure: 1,
  usage: 2,
  checkFailed: 3,
  budgetExceeded: 4,
  conflict: 5,
  confirmationRequired: 6,
  modelFailed: 7,
  sourceFailed: 8,
  interrupted: 130,
} as const;

/** One of the closed list of exit codes. */
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];
