import { diffArrays } from "diff";

import type { Unit } from "../unit.ts";

/** The difference between two lists of units. */
interface UnitChanges {
  /** Removed and added units with their heads or surroundings, as in a patch. */
  text: string;
  /** Number of removed and added units. */
  count: number;
}

// Maximum number of edits, since the shortest edit script of two long, dissimilar lists can take
// minutes.
const maxEdits = 600;
const contextLines = 2;

/** Returns the units that differ. Undefined if too many differ for a reader to follow. */
export function diffUnits(
  before: readonly Unit[],
  after: readonly Unit[],
): UnitChanges | undefined {
  const [old, now] = [before.map(textOf), after.map(textOf)];
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const runs = diffArrays(old.slice(head, old.length - tail), now.slice(head, now.length - tail), {
    maxEditLength: maxEdits,
  });
  if (runs === undefined) return undefined;
  const hunks = new HunkWriter(after);
  let place = head;
  for (const { value, added, removed } of runs) {
    if (removed || added) hunks.change(removed ? "-" : "+", value, place);
    if (!removed) place += value.length;
  }
  return { text: hunks.finish(), count: hunks.count };
}

function textOf({ text }: Unit): string {
  return text;
}

class HunkWriter {
  readonly #after: readonly Unit[];
  readonly #lines: string[] = [];
  /** Place of the first new unit that has been neither written nor skipped. */
  #next = 0;
  /** Units before this place are shown, because they follow a change. */
  #open = 0;
  count = 0;

  constructor(after: readonly Unit[]) {
    this.#after = after;
  }

  change(sign: "-" | "+", texts: readonly string[], place: number): void {
    this.#begin(place);
    for (const text of texts) this.#lines.push(`${sign}${text}`);
    this.count += texts.length;
    this.#next = sign === "+" ? place + texts.length : place;
    this.#open = this.#next + contextLines;
  }

  finish(): string {
    this.#follow(this.#after.length);
    return this.#lines.join("\n");
  }

  /** Writes the units between the last change and this one, with a heading if some are left out. */
  #begin(place: number): void {
    this.#follow(place);
    const isRow =
      this.#after[place]?.cells !== undefined || this.#after[place - 1]?.cells !== undefined;
    const start = Math.max(this.#next, isRow ? place : place - contextLines);
    if (start > this.#next || this.#lines.length === 0) this.#head(start, place);
    for (; this.#next < place; this.#next += 1)
      if (this.#next >= start) this.#lines.push(` ${this.#after[this.#next]?.text ?? ""}`);
  }

  #follow(place: number): void {
    for (; this.#next < Math.min(place, this.#open); this.#next += 1) {
      const { text = "", cells } = this.#after[this.#next] ?? {};
      if (cells === undefined) this.#lines.push(` ${text}`);
    }
  }

  /** Writes a heading with the number of the line, or of the row below the names of its columns. */
  #head(start: number, place: number): void {
    const unit = this.#after[place] ?? this.#after[place - 1];
    const header = unit?.head === undefined ? undefined : this.#after[unit.head];
    if (unit?.cells === undefined || header?.isHeader !== true)
      this.#lines.push(`@@ ${this.#after[start]?.from ?? start + 1} @@`);
    else this.#lines.push(`@@ row ${unit.from} @@ ${header.text}`);
  }
}
