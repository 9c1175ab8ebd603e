import type { OperationProfile } from "../profile/operation-profile.ts";
import type { RegisteredOperation } from "../registry/registered-operation.ts";

const operationsKey: unique symbol = Symbol.for("ccl.operations.defined");

/**
 * A profile that brings its operations along. As JSON it is the stored record without them: a process that resumes its
 * runs needs `registry.define(profile)`.
 */
export interface DefinedProfile extends OperationProfile {
  readonly [operationsKey]: readonly RegisteredOperation[];
}

/** A profile with its operations. */
export function withOperations(
  profile: OperationProfile,
  operations: readonly RegisteredOperation[],
): DefinedProfile {
  return { ...profile, [operationsKey]: operations };
}

/** The operations that a profile brings along; none for a plain record. */
export function operationsOf(
  profile: OperationProfile | DefinedProfile,
): readonly RegisteredOperation[] {
  return operationsKey in profile ? profile[operationsKey] : [];
}
