// The model of this machine. Without one, the page tells its story and says what is missing.
import { findModel } from "@ccl/providers/environment";

/** @returns {Promise<{ model?: import("@ccl/core").LanguageModel, source: string }>} */
export async function openModel(env) {
  const found = await findModel({ env });
  return found ?? { source: "none yet; set OPENAI_API_KEY or ANTHROPIC_API_KEY, or start Ollama" };
}
