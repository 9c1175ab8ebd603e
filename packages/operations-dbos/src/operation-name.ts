import type { OperationKey } from "@ccl/operations";

/** What an operation is known by within its run. */
export function operationName({ hook, operationId }: OperationKey): string {
  return `${hook}/${operationId}`;
}
