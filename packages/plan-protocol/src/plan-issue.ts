import type { Issue } from "@ccl/core";

/** What is wrong with an answer, a plan or its context, or why it was not applied. Fixed within a major version. */
export type PlanIssueCode =
  | "ERR_JSON_EXTRACT"
  | "ERR_JSON_PARSE"
  | "ERR_TRUNCATED"
  | "ERR_SCHEMA_VALIDATION"
  | "ERR_UNSUPPORTED_VERSION"
  | "ERR_PLAN_NOT_EMPTY"
  | "ERR_SUMMARY_REQUIRED"
  | "ERR_NO_CHANGES_MARKER"
  | "ERR_APPLY_EMPTY_ACTIONS"
  | "ERR_INVALID_PATH"
  | "ERR_PATH_TOO_LONG"
  | "PROTECTED_PATH"
  | "FORBIDDEN_PATH"
  | "ERR_TOO_MANY_ACTIONS"
  | "ERR_CONTENT_REQUIRED"
  | "ERR_CONTENT_TOO_LARGE"
  | "ERR_PSEUDO_BINARY"
  | "ERR_ELISION"
  | "ERR_ACTION_CONFLICT"
  | "ERR_UPDATE_WITHOUT_BASE"
  | "ERR_V2_UPDATE_EXISTING_FORBIDDEN"
  | "ERR_PATCH_REQUIRED"
  | "ERR_PATCH_NOT_UNIFIED"
  | "ERR_PATCH_APPLY_FAILED"
  | "ERR_BASE_SHA256_INVALID"
  | "ERR_BASE_MISMATCH"
  | "ERR_NON_UTF8_FILE"
  | "ERR_EDIT_NO_EDITS"
  | "ERR_EDIT_ANCHOR_NOT_FOUND"
  | "ERR_EDIT_BEFORE_NOT_FOUND"
  | "ERR_EDIT_AMBIGUOUS"
  | "ERR_EDIT_APPLY_FAILED"
  | "CONFIRM_REQUIRED"
  | "SNAPSHOT_FAILED"
  | "APPLY_FAILED_ROLLED_BACK"
  | "AUTO_CHECK_FAILED_BEFORE"
  | "AUTO_CHECK_FAILED_ROLLED_BACK"
  | "CONCURRENT_EDIT"
  | "ERR_TARGET_EXISTS"
  | "PATH_NOT_FOUND"
  | "ERR_NOT_EMPTY"
  | "RECOVERY_REQUIRED"
  | "ERR_IO"
  | "ERR_CONTEXT_REQUEST"
  | "ERR_CONTEXT_ROUNDS";

/** An issue with one of this package's codes. */
export interface PlanIssue extends Issue {
  code: PlanIssueCode;
}

/** Creates an issue about part of a plan or answer, or about the whole. */
export function planIssue(
  code: PlanIssueCode,
  message: string,
  path: Issue["path"] = [],
): PlanIssue {
  return { code, path, message };
}

/** Creates a failure with one issue. */
export function refusal(...issue: Parameters<typeof planIssue>): {
  ok: false;
  issues: PlanIssue[];
} {
  return { ok: false, issues: [planIssue(...issue)] };
}

/** Maximum characters of a value that a message quotes. */
const QUOTED_CHARACTERS = 80;

/** Quotes a value for messages: as JSON, shortened, with all characters escaped that could control a terminal. */
export function quote(value: string): string {
  const short =
    value.length > QUOTED_CHARACTERS ? `${value.slice(0, QUOTED_CHARACTERS)}...` : value;
  return JSON.stringify(short).replace(/[^\P{C}\p{Cn}]|[\u2028\u2029]/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
