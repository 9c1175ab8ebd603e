import type { Issue } from "@ccl/core";

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
