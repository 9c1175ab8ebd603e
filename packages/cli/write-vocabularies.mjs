// A command loads these bytes in a few milliseconds; the tokenizer's own module takes 150.
import { mkdir, writeFile } from "node:fs/promises";

import { loadVocabulary } from "@ccl/core/bpe";

await mkdir("dist/vocabulary", { recursive: true });
for (const encoding of ["o200k_base", "cl100k_base"])
  await writeFile(`dist/vocabulary/${encoding}.bin`, await loadVocabulary(encoding));
