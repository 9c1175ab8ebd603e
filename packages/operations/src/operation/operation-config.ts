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
  /**
   * Before the main call: unless this operation ends with `done`, the call does not start. After it: unless it does,
   * the run fails.
   */
  required: boolean;
  /** An operation in both hooks runs as two instances. */
  hooks: Hook[];
  /** Both by default. */
  triggers?: Trigger[] | undefined;
  /** Any finite number, smaller first. Ties are sorted by `operationId` in code units. */
  order: number;
  /** Operations of the same hook that must be `done` before this one starts. */
  dependsOn?: string[] | undefined;
  /**
   * Unless all of these hold, the operation is skipped with `condition_false`. They may name tags that its dependencies
   * write.
   */
  when?: OperationCondition[] | undefined;
  /**
   * Runs only every that many turns, or each time the history has grown by that many (estimated) tokens. Otherwise
   * skipped with `not_due`.
   */
  every?: { turns: number } | { tokens: number } | undefined;
  /** Parameters of its kind. */
  params: Record<string, unknown>;
  /** Keeps prompts and answers in the summary, truncated and redacted. */
  debug?: { enabled?: boolean | undefined } | undefined;
}
