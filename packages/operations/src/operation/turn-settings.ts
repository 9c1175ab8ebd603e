import type { ModelRequest } from "@ccl/core";

/** Reference to a model. */
export interface ModelReference {
  providerRef: string;
  model: string;
  /** Passed only to the model resolver. */
  credentialRef: string;
}

/** Refers to the engine's main model. */
export const mainModelReference: Readonly<ModelReference> = Object.freeze({
  providerRef: "main",
  model: "main",
  credentialRef: "main",
});

/**
 * How to call the main model. JSON. Settings of a start override the profile's, which override the engine's. `vars` are
 * merged by name.
 */
export interface TurnSettings extends Omit<ModelRequest, "messages" | "signal" | "tools"> {
  /** System prompt, placed before the history. Liquid over `vars`, `art` and `chatHistory`. */
  system?: string | undefined;
  /** Variables that templates, including those of operations, read as `{{ vars.name }}`. */
  vars?: Record<string, unknown> | undefined;
  /**
   * Overrides the engine's `mainModel`. Resolved by `models`. If one fails before its first text, the next is called.
   */
  models?: readonly ModelReference[] | undefined;
  /** Names of the engine's `tools` that the model may call. Defaults to all. */
  tools?: readonly string[] | undefined;
  /** Maximum number of model calls in one turn. Defaults to 8. The last call must answer without tools. */
  maxSteps?: number | undefined;
}

/** Merges turn settings. Later ones win. */
export function mergeTurns(...settings: readonly (TurnSettings | undefined)[]): TurnSettings {
  const vars = Object.assign({}, ...settings.map((turn) => turn?.vars));
  return { ...Object.assign({}, ...settings), vars };
}
