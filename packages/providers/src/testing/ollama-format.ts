import type { DialectFormat } from "./dialect-format.ts";
import { openAiFormat } from "./openai-format.ts";

/** Ollama: OpenAI's chat below `/v1`, and its own embeddings. */
export const ollamaFormat: DialectFormat = {
  ...openAiFormat("openai"),
  embeddingsPath: "/api/embed",
  toEmbeddings: (vectors, body) => ({
    model: body["model"],
    embeddings: vectors,
    total_duration: 1_000_000,
    load_duration: 0,
    prompt_eval_count: vectors.length,
  }),
};
