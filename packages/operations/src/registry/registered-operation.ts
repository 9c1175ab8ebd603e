import type { BuiltinOperationsOptions } from "../kinds/kind-options.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import type { OperationDefinition } from "../operation/operation-definition.ts";

/** An operation that can be run. */
export interface RegisteredOperation {
  /** Frozen. */
  definition: OperationDefinition;
  /** Absent: the engine's own handler for the kind. */
  handler?: OperationHandler | undefined;
  /** Instead of a handler: makes it from what the engine gives to its own kinds. */
  createHandler?: ((options: BuiltinOperationsOptions) => OperationHandler) | undefined;
}
