import { LanguageModelError } from "@ccl/core";

const advice: Record<string, string> = {
  authentication: "set the key that its provider gave you",
  network_error: "check that its server is running",
};

/**
 * Explains a model failure to the user of a program in one sentence: what happened and what to do. Returns undefined if
 * the error does not come from a model.
 */
export function explainModelFailure(error: unknown): string | undefined {
  if (!LanguageModelError.isInstance(error)) return undefined;
  const happened = error.message.replace(/\s+/g, " ").replace(/[.\s]+$/, "");
  return `The model failed: ${happened}; ${advice[error.code] ?? "try again"}, or name another model in CCL_MODEL.`;
}
