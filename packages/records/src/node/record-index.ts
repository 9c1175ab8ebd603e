import type { FileHandle } from "node:fs/promises";

import { SortedKeys } from "../key-value/sorted-keys.ts";
import { damagedError } from "../records/stored-text.ts";
import { parseHeader, parseLine, type RecordLine } from "./record-lines.ts";

/** Position of a text in the file. */
export interface Place {
  offset: number;
  bytes: number;
}

const blockBytes = 1024 * 1024;
const lineFeed = 0x0a;

/** Index of a records file, up to the point that has been read. */
export class RecordIndex {
  readonly places: SortedKeys<Place> = new SortedKeys();
  /** Total bytes of current texts. */
  liveBytes = 0;
  /** Offset after the last complete step. */
  wholeBytes = 0;
  /** Bytes after that offset, left by a killed writer. */
  tornBytes = 0;
  /** Number of the first line after the last complete step. */
  nextNumber = 0;
  /** Descriptions of damaged lines. If absent, reading fails on damage. */
  readonly damage: string[] | undefined;
  readonly #path: string;
  /** Lines read so far, and lines up to `wholeBytes`. */
  #lineCount = 0;
  #wholeCount = 0;

  constructor(path: string, damage?: string[] | undefined) {
    this.#path = path;
    this.damage = damage;
  }

  /** Reads what was appended after the last complete step. @throws RecordsError `damaged` */
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
        for (const record of pending) this.#apply(record);
        pending = [];
        this.wholeBytes = offset;
        this.#wholeCount = this.#lineCount;
      }
      rest = bytes.subarray(start);
    }
    // The line feed was changed. A killed writer never leaves a single byte after a complete line.
    const isChangedEnd = parseLine(rest.subarray(0, -1)) !== undefined;
    if (isChangedEnd) this.#report(`The last line of "${this.#path}" has no end.`);
    this.tornBytes = sizeBytes - this.wholeBytes;
  }

  /** Adds a line to the index. Returns undefined for the header and for a damaged line. */
  #take(bytes: Buffer, pendingCount: number): RecordLine | undefined {
    this.#lineCount += 1;
    if (this.#lineCount === 1) {
      const from = parseHeader(bytes.toString());
      if (from === undefined) this.#report(`Line 1 of "${this.#path}" is not a header of records.`);
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
