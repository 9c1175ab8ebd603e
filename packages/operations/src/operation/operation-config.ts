import type { Hook, Trigger } from "./operation-definition.ts";

/** A condition without code on a guard's result or another artifact. All of its fields must hold. */
export interface OperationCondition {
  /** A tag, then keys of its value, such as `art.is_combat` or `art.flags.inCombat`. */
  ref: string;
  /** By default the value must be true. */
  equals?: string | number | boolean | null | undefined;
  /** True inverts the result. */
  not?: boolean | undefined;
}

/** How a profile configures an operation. It is serialized with the profile, so it holds JSON only and no secrets. */
export interface OperationConfig {
  enabled: boolean;
  /** Unless this operation ends with `done`, the main call does not start (before it) or the run fails (after it). */
  required: boolean;
  /** An operation in both hooks runs as two instances. */
  hooks: Hook[];
  /** Both by default. */
  triggers?: Trigger[] | undefined;
  /** Any finite number, smaller first. Ties are sorted by `operationId` in code units. */
  order: number;
  /** Operations of the same hook that must be `done` before this one starts. */
  dependsOn?: string[] | undefined;
  /** Skipped with `condition_false` unless all of these hold. They may name tags that its dependencies write. */
  when?: OperationCondition[] | undefined;
  /** Runs every that many turns or (estimated) tokens of new history. Otherwise skipped with `not_due`. */
  every?: { turns: number } | { tokens: number } | undefined;
  /** Parameters of its kind. */
  params: Record<string, unknown>;
  /** Keeps prompts and answers in the summary, truncated and redacted. */
  debug?: { enabled?: boolean | undefined } | undefined;
}
