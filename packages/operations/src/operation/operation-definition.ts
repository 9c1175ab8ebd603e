/** Where an operation runs: before or after the one main model call. */
export type Hook = "before_main_llm" | "after_main_llm";

/** Why a run was started: a new turn, or another answer to the current one. */
export type Trigger = "generate" | "regenerate";

/** The built-in kinds. */
export type BuiltinKind =
  | "llm"
  | "template"
  | "rag"
  | "tool"
  | "compute"
  | "transform"
  | "guard"
  | "wait";

/** The built-in kinds, and any of yours. */
export type OperationKind = BuiltinKind | (string & {});

/** What an operation is: its identity, and what it may do. */
export interface OperationDefinition {
  /** Stable, such as `builtin:world_state_update`. */
  operationId: string;
  kind: OperationKind;
  /** For people. Events contain it unchanged. */
  name: string;
  description?: string | undefined;
  /**
   * The one tag that it writes, unless `params.writeArtifact.tag` names another. Absent: it writes no artifact.
   */
  writesTag?: string | undefined;
  /** JSON Schema of `params`, or `kind` for that of its kind. Checked when a profile is saved. */
  paramsSchema?: object | "kind" | undefined;
}

/** What an id may look like: ids appear in events, step keys and messages. */
export const idPattern: RegExp = /^[^\p{Cc}\p{Cs}]{1,200}$/u;
