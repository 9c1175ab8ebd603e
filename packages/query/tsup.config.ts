import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    "duckdb/index": "src/duckdb/index.ts",
    "conformance/index": "src/conformance/index.ts",
  },
  format: "esm",
  target: "node20",
  dts: true,
  sourcemap: true,
  clean: true,
});
