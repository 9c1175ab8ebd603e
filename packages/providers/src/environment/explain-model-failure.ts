import { LanguageModelError, type LanguageModelErrorCode } from "@ccl/core";

const other = "name another model in CCL_MODEL";
const advice: Partial<Record<LanguageModelErrorCode, string>> = {
  authentication: `set the key that its provider gave you, or ${other}`,
  network_error: `see whether its server runs, or ${other}`,
  timeout: `see whether its server runs, or ${other}`,
  rate_limited: `wait a while, or ${other}`,
  provider_error: `try again, or ${other}`,
};

/**
 * One sentence for the user of a program whose model failed: what happened and what to do. Undefined for an error that is
 * none of a model, which is a fault of the program.
 */
export function explainModelFailure(error: unknown): string | undefined {
  if (!LanguageModelError.isInstance(error)) return undefined;
  const happened = error.message.replace(/\s+/g, " ").replace(/[.\s]+$/, "");
  return `The model failed: ${happened}; ${advice[error.code] ?? other}.`;
}
