import { sha256Hex } from "@ccl/core";

import { RecordsError } from "../records-error.ts";

const sumLength = 32;
/** A checksum of what was written before the first. */
export const noSum: string = "0".repeat(sumLength);

/** A text with a checksum over it and its key, so that one that was changed or moved is noticed. */
export function sealed(key: string, body: string): string {
  return `${sha256Hex(`${key}\n${body}`).slice(0, sumLength)} ${body}`;
}

/** The checksum that a sealed text begins with. */
export function sumOf(text: string): string {
  return text.slice(0, sumLength);
}

/** What was sealed: its words before the last, and the last, which may hold blanks; undefined if it is not whole. */
export function unsealed(key: string, text: string, words: number): string[] | undefined {
  const body = text.slice(sumLength + 1);
  if (sealed(key, body) !== text) return undefined;
  const parts = body.split(" ", words - 1);
  const rest = body.slice(parts.reduce((sum, part) => sum + part.length + 1, 0));
  return [...parts, rest];
}

/** The same for a text that has to be whole. @throws RecordsError `damaged` */
export function requireUnsealed(key: string, text: string, words: number, what: string): string[] {
  const parts = unsealed(key, text, words);
  if (parts !== undefined) return parts;
  throw damagedError(`${what} is not what was written.`, { key });
}

export function damagedError(problem: string, details: object): RecordsError {
  const advice = "salvageRecords copies everything that is whole.";
  return new RecordsError("damaged", `${problem} ${advice}`, { details });
}
