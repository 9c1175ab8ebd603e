import type { ContextRequest, PlanVersion } from "../plan/plan.ts";

/** `plan`: a diagnosis and steps without actions. `apply`: actions, or the marker that no changes are needed. */
export type PlanMode = "plan" | "apply";

/**
 * An action with everything its kind needs. Paths are relative, with forward slashes and no trailing slash. `content`
 * is the complete new text. It is based on the text with the hash `base_sha256`.
 */
export type ValidAction =
  | { kind: "CREATE_FILE"; path: string; content: string }
  | { kind: "CREATE_DIR" | "DELETE_FILE" | "DELETE_DIR"; path: string }
  | ({ kind: "UPDATE_FILE" | "PATCH_FILE" | "EDIT_FILE"; path: string } & NewText)
  | ({ kind: "MOVE_FILE"; path: string; to: string } & Partial<NewText>);

/** An existing file's new text. */
export interface NewText {
  content: string;
  base_sha256: string;
  /** Differences from the literal answer, as sentences: lines replaced by a comment, and errors that were forgiven. */
  remarks?: string[] | undefined;
}

/** A plan that can be previewed and applied. */
export interface ValidPlan {
  version: PlanVersion;
  mode: PlanMode;
  /** In application order, which may not be the model's. */
  actions: ValidAction[];
  /** The model's summary, or one generated from the actions. */
  summary: string;
  context_requests: ContextRequest[];
  memory_patch: Record<string, unknown>;
  /** Fences in the answer without edits, and commands that were not run, as sentences. */
  remarks?: string[] | undefined;
}

/** Returns a plan as the model may write it again. Remarks concern one answer, and are not part of the plan. */
export function withoutRemarks(plan: ValidPlan): ValidPlan {
  const actions = plan.actions.map((action) =>
    "remarks" in action ? { ...action, remarks: undefined } : action,
  );
  return { ...plan, actions, remarks: undefined };
}

/** Returns all of a plan's differences from the literal answer, for a person who reads the preview. */
export function remarksOn({ remarks = [], actions }: ValidPlan): string[] {
  return [
    ...remarks,
    ...actions.flatMap((action) => ("remarks" in action ? (action.remarks ?? []) : [])),
  ];
}

/** A file as it was read for the plan. */
export interface ReadFile {
  /** Hash of the file's bytes, in 64 lower-case hex digits. */
  sha256: string;
  /** The text in which edits are placed. */
  text: string;
  /** True if only part was shown, or secrets were masked. Such a file can be edited, but not replaced. */
  isPartial?: boolean | undefined;
}

/** Files that a plan is based on, keyed by path as returned by `checkPath`. */
export type ReadSet = ReadonlyMap<string, ReadFile>;
