import { crc32 } from "node:zlib";

import type { KeyValueEntry } from "../key-value/key-value.ts";

/** A line of the file, which sets or removes the text of a key. */
export interface RecordLine {
  /** One more than the number of the previous line. */
  number: number;
  key: string;
  /** Position of the text within the line. Undefined for a removal. */
  text: { start: number; bytes: number } | undefined;
  /** True for the last line of a step. The step counts once this line exists. */
  isLast: boolean;
}

const sumBytes = 8;
const tab = 0x09;

/** Returns the first line of a file whose next line has the number `from`. */
export function headerLine(from: number): string {
  return `${JSON.stringify({ format: "ccl-records", formatVersion: 1, from })}\n`;
}

/** Returns the number of the first line after the header. Undefined if the line is not a header. */
export function parseHeader(line: string): number | undefined {
  const [, from] =
    /^\{"format":"ccl-records","formatVersion":1,"from":(\d{1,15})\}$/.exec(line) ?? [];
  return from === undefined ? undefined : Number(from);
}

/** Returns the lines of one step, each with a checksum and its number. */
export function linesOf(writes: readonly KeyValueEntry[], from: number): string[] {
  return writes.map(([key, text], at) => {
    const flag = at === writes.length - 1 ? "." : "+";
    const line = `${from + at} ${flag}${key}${text === undefined ? "" : `\t${text}`}`;
    return `${checksumOf(line)} ${line}\n`;
  });
}

/** Returns a checksum of eight hex digits. */
export function checksumOf(data: string | Uint8Array): string {
  return crc32(data).toString(16).padStart(sumBytes, "0");
}

/** Parses a line without its line feed. Undefined if its checksum is wrong. */
export function parseLine(line: Buffer): RecordLine | undefined {
  const body = line.subarray(sumBytes + 1);
  if (line.toString("latin1", 0, sumBytes + 1) !== `${checksumOf(body)} `) return undefined;
  const tabAt = body.indexOf(tab);
  const words = body.toString("latin1", 0, tabAt < 0 ? body.length : tabAt);
  const [, number, flag, key] = /^(\d{1,15}) ([+.])(.+)$/.exec(words) ?? [];
  if (key === undefined) return undefined;
  const start = sumBytes + 1 + tabAt + 1;
  const text = tabAt < 0 ? undefined : { start, bytes: line.length - start };
  return { number: Number(number), key, text, isLast: flag === "." };
}
