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

/** A condition without code on a guard's result or another artifact. All fields must hold. */
export interface OperationCondition {
  /** A tag, then keys of its value, such as `art.is_combat` or `art.flags.inCombat`. */
  ref: string;
  /** By default the value must be true. */
  equals?: string | number | boolean | null | undefined;
  /** If true, inverts the result. */
  not?: boolean | undefined;
}

/** How a profile configures an operation. Serialized with the profile, so it contains only JSON and no secrets. */
export interface OperationConfig {
  enabled: boolean;
  /** Unless this operation ends with `done`, the main call does not start (before it) or the run fails (after it). */
  required: boolean;
  /** An operation in both hooks runs as two instances. */
  hooks: Hook[];
  /** Defaults to both. */
  triggers?: Trigger[] | undefined;
  /** Any finite number. Smaller comes first. Ties are sorted by `operationId` in code units. */
  order: number;
  /** Operations of the same hook that must be `done` before this one starts. */
  dependsOn?: string[] | undefined;
  /**
   * Skips the operation with `condition_false` unless all of these hold. They may name tags that dependencies write.
   */
  when?: OperationCondition[] | undefined;
  /** Runs once per this many turns or (estimated) tokens of new history. Otherwise skipped with `not_due`. */
  every?: { turns: number } | { tokens: number } | undefined;
  /** Parameters of the kind. */
  params: Record<string, unknown>;
  /** Keeps prompts and answers in the summary, truncated and redacted. */
  debug?: { enabled?: boolean | undefined } | undefined;
}
