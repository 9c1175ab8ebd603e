/** 1: whole files. 2: adds PATCH_FILE and MOVE_FILE, and no longer replaces whole existing files. 3: adds EDIT_FILE. */
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

/** One replacement in a file. It is located in the file as it was read, so the order of edits does not matter. */
export interface FileEdit {
  /** Text that occurs exactly once in the file, within 4,000 characters of `before`. Not changed itself. */
  anchor?: string | undefined;
  /** The exact text to replace. It must occur once in the file, or once near the anchor. */
  before: string;
  after: string;
}

/** An action as parsed. `validatePlan` checks that it has all fields its kind needs. */
export interface PlanAction {
  kind: ActionKind;
  /** As the model wrote it. */
  path: string;
  /** For CREATE_FILE and UPDATE_FILE. */
  content?: string | undefined;
  /** For PATCH_FILE, and MOVE_FILE if the file also changes: a unified diff of this file only. */
  patch?: string | undefined;
  /**
   * For PATCH_FILE and EDIT_FILE, and MOVE_FILE with a patch: SHA-256 of the file's bytes as read, in 64 lower-case hex
   * digits.
   */
  base_sha256?: string | undefined;
  /** For EDIT_FILE. */
  edits?: FileEdit[] | undefined;
  /** For MOVE_FILE: the new path, which must not exist. */
  to?: string | undefined;
}

/** Context a model needs before it can plan further. */
export type ContextRequest =
  | {
      type: "read_file";
      path: string;
      /** 1-based. Both ends inclusive. */
      start_line?: number | undefined;
      end_line?: number | undefined;
    }
  | {
      type: "search";
      query: string;
      /** Which files to search. Defaults to all. */
      glob?: string | undefined;
    }
  | { type: "logs"; source: string; last_n?: number | undefined }
  | { type: "env" };

/** A model's answer as parsed, not yet checked against a mode. */
export interface Plan {
  version: PlanVersion;
  actions: PlanAction[];
  summary?: string | undefined;
  context_requests: ContextRequest[];
  /** Dotted keys as the model wrote them, such as `project.default_test_command`. `applyMemoryPatch` checks them. */
  memory_patch: Record<string, unknown>;
}
