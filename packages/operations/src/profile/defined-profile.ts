import type { OperationProfile } from "./operation-profile.ts";
import type { RegisteredOperation } from "./registered-operation.ts";

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
