import type { ContextRequest, PlanVersion } from "../plan/plan.ts";

/** `plan`: a diagnosis and steps without actions. `apply`: actions, or the marker that nothing needs to change. */
export type PlanMode = "plan" | "apply";

/**
 * An action with all that its kind needs. Paths are relative, with forward slashes and no trailing slash. `content` is
 * the whole new text. It is based on the text with the hash `base_sha256`.
 */
export type ValidAction =
  | { kind: "CREATE_FILE"; path: string; content: string }
  | { kind: "CREATE_DIR" | "DELETE_FILE" | "DELETE_DIR"; path: string }
  | ({ kind: "UPDATE_FILE" | "PATCH_FILE" | "EDIT_FILE"; path: string } & NewText)
  | ({ kind: "MOVE_FILE"; path: string; to: string } & Partial<NewText>);

/** The new text of an existing file. */
export interface NewText {
  content: string;
  base_sha256: string;
  /**
   * Differences from the literal answer, as sentences: lines that a comment stood for, and slips that were forgiven.
   */
  remarks?: string[] | undefined;
}

/** A plan that can be previewed and applied. */
export interface ValidPlan {
  version: PlanVersion;
  mode: PlanMode;
  /** In the order of application, which may not be the model's. */
  actions: ValidAction[];
  /** The model's summary, or one generated from the actions. */
  summary: string;
  context_requests: ContextRequest[];
  memory_patch: Record<string, unknown>;
  /** Fences of the answer that hold no edit and commands that were not run, as sentences. */
  remarks?: string[] | undefined;
}

/** A plan as the model may write it again. Remarks are about one answer, and no part of its plan. */
export function withoutRemarks(plan: ValidPlan): ValidPlan {
  const actions = plan.actions.map((action) =>
    "remarks" in action ? { ...action, remarks: undefined } : action,
  );
  return { ...plan, actions, remarks: undefined };
}

/** All differences of a plan from the literal answer, for the person who reads the preview. */
export function remarksOn({ remarks = [], actions }: ValidPlan): string[] {
  return [
    ...remarks,
    ...actions.flatMap((action) => ("remarks" in action ? (action.remarks ?? []) : [])),
  ];
}

/** A file as it was read for the plan. */
export interface ReadFile {
  /** Hash of its bytes, 64 lower-case hexadecimal digits. */
  sha256: string;
  /** The text that edits are placed in. */
  text: string;
  /** True if only a part was shown, or secrets were masked. Such a file may be edited, but not replaced. */
  isPartial?: boolean | undefined;
}

/** The files that a plan is based on, by path as `checkPath` returns it. */
export type ReadSet = ReadonlyMap<string, ReadFile>;
