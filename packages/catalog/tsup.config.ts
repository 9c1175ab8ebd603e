import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    "sqlite/index": "src/sqlite/index.ts",
    "postgres/index": "src/postgres/index.ts",
    "snapshot/index": "src/snapshot/index.ts",
    "conformance/index": "src/conformance/index.ts",
    "verify/index": "src/verify/index.ts",
  },
  format: "esm",
  target: "node20",
  dts: true,
  sourcemap: true,
  clean: true,
});
