import type { Hook, Trigger } from "./operation-definition.ts";

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
