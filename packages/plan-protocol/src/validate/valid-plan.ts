import type { ContextRequest, PlanVersion } from "../plan/plan.ts";

/** `plan`: a diagnosis and steps, no actions. `apply`: actions, or the marker that nothing needs to change. */
export type PlanMode = "plan" | "apply";

/**
 * An action with all that its kind needs. Paths are relative, with forward slashes and without one at the end. `content` is the
 * whole new text, placed in the text whose hash `base_sha256` is.
 */
export type ValidAction =
  | { kind: "CREATE_FILE"; path: string; content: string }
  | { kind: "CREATE_DIR" | "DELETE_FILE" | "DELETE_DIR"; path: string }
  | ({ kind: "UPDATE_FILE" | "PATCH_FILE" | "EDIT_FILE"; path: string } & NewText)
  | ({ kind: "MOVE_FILE"; path: string; to: string } & Partial<NewText>);

/** What a file that exists becomes. */
interface NewText {
  content: string;
  base_sha256: string;
  /** Where the answer was not taken to the letter, in sentences: lines that a comment stood for, slips that were forgiven. */
  remarks?: string[] | undefined;
}

/** A plan that may be previewed and applied as it stands. */
export interface ValidPlan {
  version: PlanVersion;
  mode: PlanMode;
  /** In the order in which they are applied, not the model's. */
  actions: ValidAction[];
  /** The model's, or generated from the actions if it gave none. */
  summary: string;
  context_requests: ContextRequest[];
  memory_patch: Record<string, unknown>;
}

/** A file as it was read for the plan. */
export interface ReadFile {
  /** Of its bytes, 64 lower-case hexadecimal digits. */
  sha256: string;
  /** What edits are placed in. */
  text: string;
  /** Only a part of it was shown, or secrets in it were masked: it may be edited, but not replaced. */
  isPartial?: boolean | undefined;
}

/** The files that a plan is based on, by path as `checkPath` gives it. */
export type ReadSet = ReadonlyMap<string, ReadFile>;
