import type { BuiltinOperationsOptions } from "../kinds/kind-options.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import type { OperationDefinition } from "../operation/operation-definition.ts";

/** An operation that can be run. */
export interface RegisteredOperation {
  /** Frozen. */
  definition: OperationDefinition;
  /** Absent: the engine's own handler of the kind. */
  handler?: OperationHandler | undefined;
  /** Used instead of a handler: creates it from the options that the engine passes to its own kinds. */
  createHandler?: ((options: BuiltinOperationsOptions) => OperationHandler) | undefined;
}
