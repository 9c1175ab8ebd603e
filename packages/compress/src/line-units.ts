import type { JoinedTexts, Unit, Units } from "./unit.ts";

/** A line to be added. */
interface Line {
  /** Where its text stands. */
  start: number;
  end: number;
  /** Its number in the content. */
  number: number;
  head: number | undefined;
  weight: number;
}

/** Lines of a text. An object for each of a million would take longer than all that is done with them. */
export class LineUnits implements Units {
  /** The lines, with those that became part of the one above. */
  readonly text: string;
  length = 0;
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  /** The number of the first line of each unit, and of the last of all. */
  readonly #numbers: Uint32Array;
  #last: number;
  /** -1 where there is none. */
  readonly #heads: Int32Array;
  readonly #weights: Float64Array;
  readonly #repeats = new Map<number, number>();

  constructor(text: string, firstLine: number) {
    this.text = text;
    this.#last = firstLine - 1;
    let lines = 1;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
    this.#starts = new Uint32Array(lines);
    this.#ends = new Uint32Array(lines);
    this.#numbers = new Uint32Array(lines);
    this.#heads = new Int32Array(lines);
    this.#weights = new Float64Array(lines);
  }

  add({ start, end, number, head = -1, weight }: Line): void {
    const at = this.length;
    this.#starts[at] = start;
    this.#ends[at] = end;
    this.#numbers[at] = number;
    this.#heads[at] = head;
    this.#weights[at] = weight;
    this.#last = number;
    this.length += 1;
  }

  /** The last unit stands for all lines up to this one, the last so many of which are the same. */
  extend(number: number, repeats: number): void {
    this.#last = number;
    if (repeats > 1) this.#repeats.set(this.length - 1, repeats);
  }

  at(place: number): Unit | undefined {
    const index = place < 0 ? place + this.length : place;
    return index >= 0 && index < this.length ? new LineUnit(this, index) : undefined;
  }

  /** Each unit with what became part of it. */
  joined(): JoinedTexts {
    const ends = new Uint32Array(this.length).fill(this.text.length);
    for (let at = 1; at < this.length; at += 1) ends[at - 1] = (this.#starts[at] ?? 0) - 1;
    return { text: this.text, ends };
  }

  textAt(index: number): string {
    const line = this.text.slice(this.#starts[index], this.#ends[index]);
    const repeats = this.#repeats.get(index);
    return repeats === undefined ? line : `${line} [x${repeats}]`;
  }

  fromAt(index: number): number {
    return this.#numbers[index] ?? 0;
  }

  toAt(index: number): number {
    return index + 1 < this.length ? this.fromAt(index + 1) - 1 : this.#last;
  }

  headAt(index: number): number | undefined {
    const head = this.#heads[index] ?? -1;
    return head < 0 ? undefined : head;
  }

  weightAt(index: number): number {
    return this.#weights[index] ?? 0;
  }
}

class LineUnit implements Unit {
  readonly #lines: LineUnits;
  readonly #index: number;

  constructor(lines: LineUnits, index: number) {
    this.#lines = lines;
    this.#index = index;
  }

  get text(): string {
    return this.#lines.textAt(this.#index);
  }

  get from(): number {
    return this.#lines.fromAt(this.#index);
  }

  get to(): number {
    return this.#lines.toAt(this.#index);
  }

  get head(): number | undefined {
    return this.#lines.headAt(this.#index);
  }

  get weight(): number {
    return this.#lines.weightAt(this.#index);
  }
}
