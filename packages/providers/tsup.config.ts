import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    "openai-compatible/index": "src/openai-compatible/index.ts",
    "ollama/index": "src/ollama/index.ts",
    "anthropic/index": "src/anthropic/index.ts",
    "ai-sdk/index": "src/ai-sdk/index.ts",
    "embeddings/index": "src/embeddings/index.ts",
    "replay/index": "src/replay/index.ts",
    "testing/index": "src/testing/index.ts",
  },
  format: "esm",
  target: "node20",
  dts: true,
  sourcemap: true,
  clean: true,
});
