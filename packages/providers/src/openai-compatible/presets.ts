/** How a server with OpenAI's format differs from OpenAI's own. */
export interface OpenAiPreset {
  title: string;
  baseUrl: string;
  /** The environment variable with the key. The key is sent only to this host. */
  keyVariable?: string;
  /** The host that needs the key, if it differs from that of `baseUrl`. */
  keyHost?: string;
  /** Fields that the server silently ignores. */
  absent?: readonly string[];
  reasoningField?: "reasoning_content" | "reasoning";
}

/** The name of a preset. */
export type OpenAiPresetName =
  | "openai"
  | "ollama"
  | "vllm"
  | "lm-studio"
  | "llama.cpp"
  | "openrouter"
  | "groq"
  | "mistral"
  | "deepseek";

/** The servers that the `preset` option can name. */
export const presets: Record<OpenAiPresetName, OpenAiPreset> = {
  openai: { title: "OpenAI", baseUrl: "https://api.openai.com/v1", keyVariable: "OPENAI_API_KEY" },
  ollama: {
    title: "Ollama",
    baseUrl: "http://localhost:11434/v1",
    keyVariable: "OLLAMA_API_KEY",
    keyHost: "ollama.com",
    reasoningField: "reasoning",
    absent: ["top_k"],
  },
  vllm: { title: "vLLM", baseUrl: "http://localhost:8000/v1", reasoningField: "reasoning" },
  "lm-studio": { title: "LM Studio", baseUrl: "http://localhost:1234/v1" },
  "llama.cpp": {
    reasoningField: "reasoning_content",
    title: "llama-server of llama.cpp",
    baseUrl: "http://localhost:8080/v1",
  },
  openrouter: {
    title: "OpenRouter",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariable: "OPENROUTER_API_KEY",
    reasoningField: "reasoning",
  },
  groq: {
    title: "Groq",
    baseUrl: "https://api.groq.com/openai/v1",
    keyVariable: "GROQ_API_KEY",
    reasoningField: "reasoning",
  },
  mistral: {
    title: "Mistral",
    baseUrl: "https://api.mistral.ai/v1",
    keyVariable: "MISTRAL_API_KEY",
  },
  deepseek: {
    reasoningField: "reasoning_content",
    title: "DeepSeek",
    baseUrl: "https://api.deepseek.com/v1",
    keyVariable: "DEEPSEEK_API_KEY",
  },
};
