/** Where in a run an operation stands: before or after the one main model call. */
export type Hook = "before_main_llm" | "after_main_llm";

/** Why a run was started: a new turn, or another answer to the current one. */
export type Trigger = "generate" | "regenerate";

/** The kinds with a handler of ours. */
export type BuiltinKind =
  | "llm"
  | "template"
  | "rag"
  | "tool"
  | "compute"
  | "transform"
  | "guard"
  | "wait";

/** The kinds with a handler of ours, and any of yours. */
export type OperationKind = BuiltinKind | (string & {});

/** What an operation is: its identity, and what it may do. */
export interface OperationDefinition {
  /** Stable, like `builtin:world_state_update`. */
  operationId: string;
  kind: OperationKind;
  /** For people; events carry it unchanged. */
  name: string;
  description?: string | undefined;
  /**
   * The one tag that it writes, where its parameters do not say so (`params.writeArtifact.tag` wins). Absent: it writes
   * no artifact.
   */
  writesTag?: string | undefined;
  /** JSON Schema of `params`, or `kind` for that of its kind; checked when a profile is saved. */
  paramsSchema?: object | "kind" | undefined;
  /** True where its handler sees to `params.retry` and `params.timeoutMs` by itself; default for `llm` alone. */
  ownsRetries?: boolean | undefined;
}
