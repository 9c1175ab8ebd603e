import { entryStep, type TextPostings } from "../text/text-postings.ts";
import { createByteReader } from "./byte-reader.ts";

/** Creates postings from a saved index. A term's postings are decoded when they are first requested. */
export function createStoredPostings(saved: Map<string, Uint8Array | number[]>): TextPostings {
  return {
    keys: () => saved.keys(),
    get(term) {
      const kept = saved.get(term);
      if (!(kept instanceof Uint8Array)) return kept;
      const entries = entriesOf(kept);
      saved.set(term, entries);
      return entries;
    },
    set: (term, entries) => saved.set(term, entries),
  };
}

function entriesOf(bytes: Uint8Array): number[] {
  const reader = createByteReader(bytes);
  const entries: number[] = [];
  for (let slot = 0; !reader.isAtEnd();) {
    slot += reader.readCount(Number.MAX_SAFE_INTEGER);
    entries.push(slot * entryStep + reader.readCount(entryStep - 1));
  }
  return entries;
}
