import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    "async/index": "src/async/index.ts",
    "bpe/index": "src/bpe/index.ts",
    "delimited/index": "src/delimited/index.ts",
    "hash/index": "src/hash/index.ts",
    "json/index": "src/json/index.ts",
    "node/index": "src/node/index.ts",
    "testing/index": "src/testing/index.ts",
  },
  format: "esm",
  target: "node20",
  dts: true,
  sourcemap: true,
  clean: true,
});
