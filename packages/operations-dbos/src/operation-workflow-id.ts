import type { OperationKey } from "@ccl/operations";

/**
 * `runId:hook:operationId`, the id of an operation's workflow. An operation's id may hold anything but control
 * characters, so that a colon or percent sign of the run's id is escaped: up to the first colon it is the run's.
 */
export function operationWorkflowId(runId: string, { hook, operationId }: OperationKey): string {
  return `${runId.replaceAll(/[%:]/g, encodeURIComponent)}:${hook}:${operationId}`;
}
