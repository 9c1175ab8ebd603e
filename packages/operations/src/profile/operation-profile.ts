import type { Issue } from "@ccl/core";

import type { OperationConfig } from "../operation/operation-definition.ts";
import type { TurnSettings } from "../operation/turn-settings.ts";

/** An operation of a profile: its id and its configuration. */
export interface ProfileOperation {
  operationId: string;
  config: OperationConfig;
}

/** A stored set of operations. It contains only JSON, without secrets or code. */
export interface OperationProfile {
  /** Format of this record. Defaults to 1. */
  formatVersion?: 1 | undefined;
  /** Stable id, such as `rp-light`. */
  profileId: string;
  name: string;
  description?: string | undefined;
  /** If false, a run consists only of its main call. */
  enabled: boolean;
  /** Part of the key of the profile's state between runs. A new id starts without state. */
  operationProfileSessionId: string;
  /** Set by the store. Counts from 1. */
  version?: number | undefined;
  operations: ProfileOperation[];
  /** Settings of the main call in this profile's runs. */
  turn?: TurnSettings | undefined;
}

/** An issue with one of these codes. */
export type ProfileIssue = Issue & { code: ProfileIssueCode };
/**
 * Problems of a profile. `dependency_unreachable` is a warning, or an error if the dependent operation is required.
 * `unawaited_condition` is a warning: the condition reads the value from before the hook.
 */
type ProfileIssueCode =
  | "invalid_shape"
  | "not_json"
  | "duplicate_operation"
  | "unknown_operation"
  | "unknown_dependency"
  | "self_dependency"
  | "dependency_cycle"
  | "cross_hook_dependency"
  | "dependency_unreachable"
  | "tag_collision"
  | "missing_tag"
  | "invalid_tag"
  | "invalid_params"
  | "invalid_template"
  | "unawaited_condition"
  | "run_only_retention"
  | "unused_inclusion"
  | "secret_in_profile";
