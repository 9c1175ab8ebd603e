import { entryStep } from "../text/text-postings.ts";
import { createByteReader } from "./byte-reader.ts";

const unread: number[] = [];

/** Postings as they were saved: those of a term are read when it is first asked for. */
export class StoredPostings extends Map<string, number[]> {
  readonly #saved = new Map<string, Uint8Array>();

  /** Adds a term with the bytes of its postings. */
  keep(term: string, bytes: Uint8Array): void {
    this.#saved.set(term, bytes);
    this.set(term, unread);
  }

  /** Reads what is kept of the term. Walk over `keys`, since values may be unread. */
  override get(term: string): number[] | undefined {
    const saved = this.#saved.get(term);
    if (saved !== undefined) {
      this.#saved.delete(term);
      this.set(term, entriesOf(saved));
    }
    return super.get(term);
  }
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
