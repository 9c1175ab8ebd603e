import type { ModelRequest } from "@ccl/core";

/** Refers to a model. */
export interface ModelReference {
  providerRef: string;
  model: string;
  /** For the resolver of models only. */
  credentialRef: string;
}

/** The reference to the engine's main model. */
export const mainModelReference: Readonly<ModelReference> = Object.freeze({
  providerRef: "main",
  model: "main",
  credentialRef: "main",
});

/**
 * How the main model is called. JSON. Settings of a start override those of its profile, which override those of the
 * engine. `vars` are merged by name.
 */
export interface TurnSettings extends Omit<ModelRequest, "messages" | "signal" | "tools"> {
  /** The system prompt, placed before the history: Liquid over `vars`, `art` and `chatHistory`. */
  system?: string | undefined;
  /** Templates read these as `{{ vars.name }}`, including those of operations. */
  vars?: Record<string, unknown> | undefined;
  /** Replaces the engine's `mainModel`, through its `models`. If one fails before its first text, the next follows. */
  models?: readonly ModelReference[] | undefined;
  /** Names of the engine's `tools` that the model may call. All by default. */
  tools?: readonly string[] | undefined;
  /** Limit on calls of the model in one turn, 8 by default. The last call must answer without tools. */
  maxSteps?: number | undefined;
}

/** Merges settings of a turn. Later ones win. */
export function mergeTurns(...settings: readonly (TurnSettings | undefined)[]): TurnSettings {
  const vars = Object.assign({}, ...settings.map((one) => one?.vars));
  return { ...Object.assign({}, ...settings), vars };
}
