import type { FileHandle } from "node:fs/promises";

import { SortedKeys } from "../key-value/sorted-keys.ts";
import { damagedError } from "../records/stored-text.ts";
import { parseHeader, parseLine, type RecordLine } from "./record-lines.ts";

/** Where a text stands in the file. */
export interface Place {
  offset: number;
  bytes: number;
}

const blockBytes = 1024 * 1024;
const lineFeed = 0x0a;

/** What stands where in a file of records, as far as it was read. */
export class RecordIndex {
  readonly places: SortedKeys<Place> = new SortedKeys();
  /** Of the texts that still stand under a key. */
  liveBytes = 0;
  /** The end of the last whole step. */
  wholeBytes = 0;
  /** Bytes behind it, which a writer that was killed has left. */
  tornBytes = 0;
  /** The number of the line after the last whole step. */
  nextNumber = 0;
  /** What is not whole, line by line, if the file is to be read in spite of it. */
  readonly damage: string[] | undefined;
  readonly #path: string;
  /** Lines up to the one that is read, and up to `wholeBytes`. */
  #lineCount = 0;
  #wholeCount = 0;

  constructor(path: string, damage?: string[] | undefined) {
    this.#path = path;
    this.damage = damage;
  }

  /** Reads what was added behind the last whole step. @throws RecordsError `damaged` */
  async readFrom(file: FileHandle, sizeBytes: number): Promise<void> {
    let rest: Buffer = Buffer.alloc(0);
    let pending: { line: RecordLine; offset: number }[] = [];
    let offset = this.wholeBytes;
    this.#lineCount = this.#wholeCount;
    for (let at = offset; at < sizeBytes;) {
      const block = Buffer.allocUnsafe(Math.min(blockBytes, sizeBytes - at));
      const { bytesRead } = await file.read(block, 0, block.length, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      const bytes = Buffer.concat([rest, block.subarray(0, bytesRead)]);
      let start = 0;
      for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
        const line = this.#take(bytes.subarray(start, end), pending.length);
        if (line !== undefined) pending.push({ line, offset });
        offset += end + 1 - start;
        start = end + 1;
        if (pending.at(-1)?.line.isLast === false && this.damage === undefined) continue;
        for (const one of pending) this.#apply(one);
        pending = [];
        this.wholeBytes = offset;
        this.#wholeCount = this.#lineCount;
      }
      rest = bytes.subarray(start);
    }
    // A line feed that was changed: a writer that is killed never leaves one byte behind a whole line.
    const isChangedEnd = parseLine(rest.subarray(0, -1)) !== undefined;
    if (isChangedEnd) this.#report(`The last line of "${this.#path}" has no end.`);
    this.tornBytes = sizeBytes - this.wholeBytes;
  }

  /** A line that counts, or undefined for the header and for one that is damaged. */
  #take(bytes: Buffer, pendingCount: number): RecordLine | undefined {
    this.#lineCount += 1;
    if (this.#lineCount === 1) {
      const from = parseHeader(bytes.toString());
      if (from === undefined) this.#report(`Line 1 of "${this.#path}" is no header of records.`);
      this.nextNumber = from ?? 0;
      return undefined;
    }
    const line = parseLine(bytes);
    const expected = this.nextNumber + pendingCount;
    if (line?.number !== expected)
      this.#report(
        `Line ${this.#lineCount} of "${this.#path}" ${line === undefined ? "is not what was written" : `has the number ${line.number}, not ${expected}`}.`,
      );
    if (this.damage !== undefined) this.nextNumber = line?.number ?? expected + 1;
    return line;
  }

  #apply({ line: { key, text, number }, offset }: { line: RecordLine; offset: number }): void {
    this.liveBytes += (text?.bytes ?? 0) - (this.places.get(key)?.bytes ?? 0);
    this.places.set(key, text && { offset: offset + text.start, bytes: text.bytes });
    this.nextNumber = number + 1;
  }

  #report(problem: string): void {
    if (this.damage === undefined)
      throw damagedError(problem, { path: this.#path, line: this.#lineCount });
    this.damage.push(problem);
  }
}
