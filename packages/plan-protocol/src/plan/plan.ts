/**
 * 1: whole files. 2: adds PATCH_FILE and MOVE_FILE, and no longer replaces existing files as a whole. 3: adds
 * EDIT_FILE.
 */
export type PlanVersion = 1 | 2 | 3;

/** What an action does. */
export type ActionKind =
  | "CREATE_FILE"
  | "CREATE_DIR"
  | "UPDATE_FILE"
  | "DELETE_FILE"
  | "DELETE_DIR"
  | "PATCH_FILE"
  | "EDIT_FILE"
  | "MOVE_FILE";

/** One replacement in a file. Its place is found in the file as it was read, so the order of edits does not matter. */
export interface FileEdit {
  /** A text that occurs exactly once in the file, within 4,000 characters of `before`. It is not changed itself. */
  anchor?: string | undefined;
  /** The exact text to replace. Occurs once in the file, or once near the anchor. */
  before: string;
  after: string;
}

/** An action as parsed. `validatePlan` checks that it has all that its kind needs. */
export interface PlanAction {
  kind: ActionKind;
  /** As the model wrote it. */
  path: string;
  /** For CREATE_FILE and UPDATE_FILE. */
  content?: string | undefined;
  /** For PATCH_FILE, and for MOVE_FILE if the file also changes: a unified diff of this one file. */
  patch?: string | undefined;
  /**
   * For PATCH_FILE and EDIT_FILE, and for MOVE_FILE with a patch: SHA-256 of the file's bytes as read, 64 lower-case
   * hexadecimal digits.
   */
  base_sha256?: string | undefined;
  /** For EDIT_FILE. */
  edits?: FileEdit[] | undefined;
  /** For MOVE_FILE: the new path, which must be free. */
  to?: string | undefined;
}

/** Context that a model needs before it can plan further. */
export type ContextRequest =
  | {
      type: "read_file";
      path: string;
      /** From 1. Both ends are included. */
      start_line?: number | undefined;
      end_line?: number | undefined;
    }
  | {
      type: "search";
      query: string;
      /** Which files to search. Default all. */
      glob?: string | undefined;
    }
  | { type: "logs"; source: string; last_n?: number | undefined }
  | { type: "env" };

/** A model's answer as parsed. It is not yet checked against a mode. */
export interface Plan {
  version: PlanVersion;
  actions: PlanAction[];
  summary?: string | undefined;
  context_requests: ContextRequest[];
  /** Keys with dots as the model wrote them, such as `project.default_test_command`. `applyMemoryPatch` checks them. */
  memory_patch: Record<string, unknown>;
}
