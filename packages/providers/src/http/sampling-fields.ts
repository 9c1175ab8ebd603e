import type { ModelRequest } from "@ccl/core";

import type { JsonRecord } from "@ccl/core/json";

/** The sampling settings under the names that OpenAI's format and Ollama's share. Undefined if the request has none. */
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
