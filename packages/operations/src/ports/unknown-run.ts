import { OperationsError } from "../operations-error.ts";

/** The error for a run that a store does not have. */
export function unknownRun(runId: string): OperationsError {
  return new OperationsError("unknown_run", `There is no run ${JSON.stringify(runId)}.`);
}
