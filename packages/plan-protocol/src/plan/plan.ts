/** 1: whole files. 2: adds PATCH_FILE and MOVE_FILE, and existing files are no longer replaced whole. 3: adds EDIT_FILE. */
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

/** One replacement in a file. Positions are found in the file as it was read, so the order of edits does not matter. */
export interface FileEdit {
  /** Text that stands exactly once in the file and within 4,000 characters of `before`; not changed by itself. */
  anchor?: string | undefined;
  /** The exact text to replace. Stands once in the file, or once near the anchor. */
  before: string;
  after: string;
}

/** An action as parsed; `validatePlan` checks that what its kind needs is there. */
export interface PlanAction {
  kind: ActionKind;
  /** As the model wrote it. */
  path: string;
  /** Of CREATE_FILE and UPDATE_FILE. */
  content?: string | undefined;
  /** Of PATCH_FILE, and of MOVE_FILE where the file also changes: a unified diff of this one file. */
  patch?: string | undefined;
  /** Of PATCH_FILE and EDIT_FILE, and of MOVE_FILE with a patch: SHA-256 of the file's bytes as read, 64 lower-case hexadecimal digits. */
  base_sha256?: string | undefined;
  /** Of EDIT_FILE. */
  edits?: FileEdit[] | undefined;
  /** Of MOVE_FILE: where it goes; nothing may be there. */
  to?: string | undefined;
}

/** Something that a model wants to see before it plans on. */
export type ContextRequest =
  | {
      type: "read_file";
      path: string;
      /** From 1; both ends are included. */
      start_line?: number | undefined;
      end_line?: number | undefined;
    }
  | {
      type: "search";
      query: string;
      /** Which files; all where absent. */
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
  /** Keys with dots as the model wrote them, like `project.default_test_command`; `applyMemoryPatch` checks them. */
  memory_patch: Record<string, unknown>;
}
