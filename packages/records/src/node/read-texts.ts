import type { FileHandle } from "node:fs/promises";

import type { Place } from "./record-index.ts";

/** Texts closer together than this are read with one call. */
const nearBytes = 16 * 1024;
const readBytes = 4 * 1024 * 1024;

/** Returns the texts at these places, in the same order. */
export async function readTexts(
  file: FileHandle,
  places: readonly (Place | undefined)[],
): Promise<(string | undefined)[]> {
  const texts: (string | undefined)[] = places.map(() => undefined);
  const sorted = places
    .flatMap((place, index) => (place === undefined ? [] : [{ ...place, index }]))
    .sort((one, other) => one.offset - other.offset);
  for (let first = 0; first < sorted.length;) {
    const start = sorted[first]?.offset ?? 0;
    let end = start;
    let next = first;
    for (let at = sorted[next]; at !== undefined; at = sorted[(next += 1)]) {
      const isNear = at.offset <= end + nearBytes && at.offset + at.bytes <= start + readBytes;
      if (next > first && !isNear) break;
      end = at.offset + at.bytes;
    }
    const bytes = Buffer.alloc(end - start);
    await file.read(bytes, 0, bytes.length, start);
    for (const { offset, bytes: length, index } of sorted.slice(first, next))
      texts[index] = bytes.toString("utf8", offset - start, offset - start + length);
    first = next;
  }
  return texts;
}
