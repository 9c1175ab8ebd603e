import type { ModelRequest } from "@ccl/core";

import type { JsonRecord } from "@ccl/core/json";

/**
 * Returns the sampling settings under the names that OpenAI and Ollama share. A field is undefined if the request does
 * not set it.
 */
export function samplingFields(request: ModelRequest): JsonRecord {
  return {
    temperature: request.temperature,
    top_p: request.topP,
    top_k: request.topK,
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
    seed: request.seed,
    stop: request.stop,
  };
}
