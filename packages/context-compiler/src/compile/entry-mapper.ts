import { firstDifference } from "./first-difference.ts";
import type { ContextEntry } from "./working-context.ts";

/** How entries are changed. The functions must give the same for the same entries. */
export interface EntryChanges {
  change(entry: ContextEntry): ContextEntry;
  /** One entry for two that stand side by side, after `change`; undefined leaves them apart. */
  join?(before: ContextEntry, entry: ContextEntry): ContextEntry | undefined;
}

/** Changes the entries of a history that grows, each once: what did not change since the last time is taken over. */
export class EntryMapper {
  #given: readonly ContextEntry[] = [];
  #mapped: ContextEntry[] = [];
  /** For each entry that was given: how many stood in `#mapped` after it, and how many up to it were changed. */
  #lengths: number[] = [];
  #changed: number[] = [];

  /** The entries from the first one on that was not there, or was another, the last time. */
  unseen(entries: readonly ContextEntry[]): readonly ContextEntry[] {
    return entries.slice(firstDifference(this.#given, entries));
  }

  /** The same array when no entry is changed. */
  map(entries: readonly ContextEntry[], { change, join }: EntryChanges): readonly ContextEntry[] {
    const start = this.#rewind(firstDifference(this.#given, entries));
    let changed = this.#changed[start - 1] ?? 0;
    this.#lengths.length = entries.length;
    this.#changed.length = entries.length;
    for (let at = start; at < entries.length; at += 1) {
      const entry = entries[at];
      if (entry === undefined) continue;
      const next = change(entry);
      const before = this.#mapped.at(-1);
      const joined = before === undefined ? undefined : join?.(before, next);
      if (next !== entry || joined !== undefined) changed += 1;
      if (joined === undefined) this.#mapped.push(next);
      else this.#mapped[this.#mapped.length - 1] = joined;
      this.#lengths[at] = this.#mapped.length;
      this.#changed[at] = changed;
    }
    this.#given = entries;
    return changed === 0 ? entries : this.#mapped.slice();
  }

  /** Forgets what came from `to` on; where that was joined with what stands before, from the first of those on. */
  #rewind(to: number): number {
    let start = to;
    while (
      start > 0 &&
      start < this.#given.length &&
      this.#lengths[start] === this.#lengths[start - 1]
    )
      start -= 1;
    this.#lengths.length = start;
    this.#changed.length = start;
    this.#mapped.length = this.#lengths[start - 1] ?? 0;
    return start;
  }
}
