import type { Issue } from "@ccl/core";

/** An issue with one of the codes. */
export type ProfileIssue = Issue & { code: ProfileIssueCode };
/**
 * What can be wrong with a profile. `dependency_unreachable` is a warning, and an error where the dependent is required.
 * Warnings are `unawaited_condition`, where the condition looks at the value from before the hook, and
 * `unused_inclusion`, where the artifact's usage keeps it out of prompts.
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
