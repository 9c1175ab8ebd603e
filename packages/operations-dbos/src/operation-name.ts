import type { OperationKey } from "@ccl/operations";

/** The name of an operation within its run. */
export function operationName({ hook, operationId }: OperationKey): string {
  return `${hook}/${operationId}`;
}
