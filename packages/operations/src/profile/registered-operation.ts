import type { BuiltinOperationsOptions } from "../kinds/kind-options.ts";
import type { OperationDefinition, OperationHandler } from "../operation/operation-definition.ts";
import type { OperationProfile } from "./operation-profile.ts";

/** An operation that can be run. */
export interface RegisteredOperation {
  /** Frozen. */
  definition: OperationDefinition;
  /** If absent, the engine uses its own handler of the kind. */
  handler?: OperationHandler | undefined;
  /** Used instead of a handler. Creates one from the options that the engine passes to its own kinds. */
  createHandler?: ((options: BuiltinOperationsOptions) => OperationHandler) | undefined;
}

/** The operations that profiles may name. */
export interface OperationRegistry {
  /**
   * Adds an operation. Without a handler, the engine uses its own handler of the kind.
   * @throws OperationsError `duplicate_operation`, `invalid_definition`
   */
  register(definition: OperationDefinition, handler?: OperationHandler): void;
  /**
   * Adds the operations attached to a profile from `defineProfile`, and replaces those that the same profile added
   * before. The engine does this for profiles passed to it. A process that resumes their runs must do it on startup.
   * @throws OperationsError `duplicate_operation`, `invalid_definition`
   */
  define(profile: OperationProfile): void;
  find(operationId: string): RegisteredOperation | undefined;
}

const operationsKey: unique symbol = Symbol.for("ccl.operations.defined");

/**
 * A profile with its operations attached. Its JSON is the stored record without them, so a process that resumes its
 * runs must call `registry.define(profile)`.
 */
export interface DefinedProfile extends OperationProfile {
  readonly [operationsKey]: readonly RegisteredOperation[];
}

/** Attaches operations to a profile. */
export function withOperations(
  profile: OperationProfile,
  operations: readonly RegisteredOperation[],
): DefinedProfile {
  return { ...profile, [operationsKey]: operations };
}

/** Returns the operations attached to a profile. Returns none for a plain record. */
export function operationsOf(
  profile: OperationProfile | DefinedProfile,
): readonly RegisteredOperation[] {
  return operationsKey in profile ? profile[operationsKey] : [];
}
