import type { Hook, Trigger } from "./operation-definition.ts";

/** A condition without code: what a guard or an artifact says. All of it has to hold. */
export interface OperationCondition {
  /** Like `art.is_combat` or `art.flags.inCombat`: a tag, then keys of its value. */
  ref: string;
  /** Default: the value is true. */
  equals?: string | number | boolean | null | undefined;
  /** Turns the answer round. */
  not?: boolean | undefined;
}

/** How an operation is set in a profile. Serialized with the profile, so that it holds JSON only and no secret. */
export interface OperationConfig {
  enabled: boolean;
  /** Before: without its `done` the main call does not start. After: without it the run counts as failed. */
  required: boolean;
  /** An operation in both hooks runs as two instances. */
  hooks: Hook[];
  /** Both where absent. */
  triggers?: Trigger[] | undefined;
  /** Any finite number, smaller first; ties go by `operationId` in code units. */
  order: number;
  /** Operations of the same hook that have to be `done` before this one starts. */
  dependsOn?: string[] | undefined;
  /** Skipped with `condition_false` unless all of them hold; they may name tags that its dependencies write. */
  when?: OperationCondition[] | undefined;
  /** Skipped with `not_due` but for each so manieth turn, or each time the history has grown by so many tokens (estimated). */
  every?: { turns: number } | { tokens: number } | undefined;
  /** What its kind needs; see the parameters of each kind. */
  params: Record<string, unknown>;
  /** Keeps bounded, redacted prompts and answers in the summary. */
  debug?: { enabled?: boolean | undefined } | undefined;
}
