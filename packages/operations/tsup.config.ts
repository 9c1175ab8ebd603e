import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    "sqlite/index": "src/sqlite/index.ts",
    "postgres/index": "src/postgres/index.ts",
    "conformance/index": "src/conformance/index.ts",
    "testing/index": "src/testing/index.ts",
    "sse/index": "src/sse/index.ts",
  },
  format: "esm",
  target: "node20",
  dts: true,
  sourcemap: true,
  clean: true,
});
