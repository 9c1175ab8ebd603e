import { fromBase64, toBase64 } from "@ccl/core/json";
import type { Records } from "@ccl/records";

import { bytesOfFloats, floatsOfBytes } from "./float-bytes.ts";
import { vectorName } from "./stored-names.ts";

/** Loads the stored vectors of an embedder, by text. */
export async function loadVectors(
  records: Records,
  { embedder, texts }: { embedder: string; texts: readonly string[] },
  signal: AbortSignal | undefined,
): Promise<Map<string, Float32Array>> {
  const names = texts.map((text) => vectorName(embedder, text));
  const found = await records.getMany(names, { signal });
  return new Map(
    texts.flatMap((text, at) => {
      const value = found[at]?.value;
      const vector = typeof value === "string" ? floatsOfBytes(fromBase64(value)) : undefined;
      return vector === undefined ? [] : [[text, vector]];
    }),
  );
}

/** Stores vectors of an embedder, by text. */
export async function saveVectors(
  records: Records,
  { embedder, vectors }: { embedder: string; vectors: ReadonlyMap<string, Float32Array> },
  signal: AbortSignal | undefined,
): Promise<void> {
  const changes = [...vectors].map(([text, vector]) => ({
    put: vectorName(embedder, text),
    value: toBase64(bytesOfFloats(vector)),
  }));
  await records.write(changes, { signal });
}
