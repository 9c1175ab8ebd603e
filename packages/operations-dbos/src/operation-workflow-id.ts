import type { OperationKey } from "@ccl/operations";

/**
 * The id of an operation's workflow, `runId:hook:operationId`. An operation's id may hold anything but control
 * characters, so colons and percent signs in the run's id are escaped: everything up to the first colon is the run's
 * id.
 */
export function operationWorkflowId(runId: string, { hook, operationId }: OperationKey): string {
  return `${runId.replaceAll(/[%:]/g, encodeURIComponent)}:${hook}:${operationId}`;
}
