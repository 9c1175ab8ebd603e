import type { ModelRequest } from "@ccl/core";

/** Which model is asked for. */
export interface ModelReference {
  providerRef: string;
  model: string;
  /** Looked up by the resolver; it goes no further. */
  credentialRef: string;
}

/** The reference that the engine answers with its main model. */
export const mainModelReference: Readonly<ModelReference> = Object.freeze({
  providerRef: "main",
  model: "main",
  credentialRef: "main",
});

/**
 * How the main model is asked. JSON. What a start says goes before its profile, and that before the engine; `vars` are
 * merged by name.
 */
export interface TurnSettings extends Omit<ModelRequest, "messages" | "signal" | "tools"> {
  /** The system prompt: Liquid over `vars`, `art` and `chatHistory`, in front of the history. */
  system?: string | undefined;
  /** What templates read as `{{ vars.name }}`, those of operations too. */
  vars?: Record<string, unknown> | undefined;
  /** Instead of the engine's `mainModel`, through its `models`; where one fails before its first text, the next is asked. */
  models?: readonly ModelReference[] | undefined;
  /** Names of the engine's `tools` that may be called; default all. */
  tools?: readonly string[] | undefined;
  /** Calls of the model in one turn; default 8. The last one is asked to answer without tools. */
  maxSteps?: number | undefined;
}

/** The settings of a turn; later ones go first. */
export function mergeTurns(...settings: readonly (TurnSettings | undefined)[]): TurnSettings {
  const vars = Object.assign({}, ...settings.map((one) => one?.vars));
  return { ...Object.assign({}, ...settings), vars };
}
