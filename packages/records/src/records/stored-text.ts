import { sha256Hex } from "@ccl/core";

import { RecordsError } from "../records-error.ts";

const sumLength = 32;
/** The checksum that precedes the first entry. */
export const noSum: string = "0".repeat(sumLength);

/** Prefixes a text with a checksum over the text and its key, so that a changed or moved text is detected. */
export function sealed(key: string, body: string): string {
  return `${sha256Hex(`${key}\n${body}`).slice(0, sumLength)} ${body}`;
}

/** The checksum at the start of a sealed text. */
export function sumOf(text: string): string {
  return text.slice(0, sumLength);
}

/** What was sealed: its words, the last of which may contain blanks. Undefined if the checksum is wrong. */
export function unsealed(key: string, text: string, words: number): string[] | undefined {
  const body = text.slice(sumLength + 1);
  if (sealed(key, body) !== text) return undefined;
  const parts = body.split(" ", words - 1);
  const rest = body.slice(parts.reduce((sum, part) => sum + part.length + 1, 0));
  return [...parts, rest];
}

/** Like `unsealed`, for a text that must be intact. @throws RecordsError `damaged` */
export function requireUnsealed(key: string, text: string, words: number, what: string): string[] {
  const parts = unsealed(key, text, words);
  if (parts !== undefined) return parts;
  throw damagedError(`${what} is not what was written.`, { key });
}

export function damagedError(problem: string, details: object): RecordsError {
  const advice = "salvageRecords copies everything that is whole.";
  return new RecordsError("damaged", `${problem} ${advice}`, { details });
}
