import { mkdir, writeFile } from "node:fs/promises";

import { loadVocabulary } from "@ccl/core/bpe";
import { defineConfig } from "tsup";

export default defineConfig({
  entry: { ccl: "src/ccl.ts" },
  format: "esm",
  target: "node20",
  sourcemap: true,
  clean: true,
  banner: { js: "#!/usr/bin/env node" },
  // A command loads the bytes in a few milliseconds; the tokenizer's own module takes 150.
  onSuccess: async () => {
    await mkdir("dist/vocabulary", { recursive: true });
    for (const encoding of ["o200k_base", "cl100k_base"] as const) {
      await writeFile(`dist/vocabulary/${encoding}.bin`, await loadVocabulary(encoding));
    }
  },
});
