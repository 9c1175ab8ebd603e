/** Where an operation runs: before or after the one main model call. */
export type Hook = "before_main_llm" | "after_main_llm";

/** Why a run was started: for a new turn, or for another answer to the current one. */
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

/** A built-in or custom kind. */
export type OperationKind = BuiltinKind | (string & {});

/** Defines an operation: its identity, and what it may do. */
export interface OperationDefinition {
  /** Stable id, such as `builtin:world_state_update`. */
  operationId: string;
  kind: OperationKind;
  /** Display name. Events contain it unchanged. */
  name: string;
  description?: string | undefined;
  /** The one tag that it writes, unless `params.writeArtifact.tag` sets another. If absent, it writes no artifact. */
  writesTag?: string | undefined;
  /** JSON Schema of `params`, or `kind` for the kind's own schema. Checked when a profile is saved. */
  paramsSchema?: object | "kind" | undefined;
}

/** Pattern of valid ids. Ids appear in events, step keys and messages. */
export const idPattern: RegExp = /^[^\p{Cc}\p{Cs}]{1,200}$/u;
