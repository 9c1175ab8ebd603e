import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    "node/index": "src/node/index.ts",
    "sqlite/index": "src/sqlite/index.ts",
    "postgres/index": "src/postgres/index.ts",
    "conformance/index": "src/conformance/index.ts",
    "openai/index": "src/openai/index.ts",
    "anthropic/index": "src/anthropic/index.ts",
    "ai-sdk/index": "src/ai-sdk/index.ts",
    "tool-interrupt/index": "src/tool-interrupt/index.ts",
  },
  format: "esm",
  target: "node20",
  dts: true,
  sourcemap: true,
  clean: true,
});
