import { sha256Hex } from "@ccl/core";

import { RecordsError } from "../records-error.ts";

const sumLength = 32;
/** The checksum that precedes the first entry. */
export const noSum: string = "0".repeat(sumLength);

/** Prefixes text with a checksum over the text and its key, so that changed or moved text is detected. */
export function sealed(key: string, body: string): string {
  return `${sha256Hex(`${key}\n${body}`).slice(0, sumLength)} ${body}`;
}

/** Returns the checksum at the start of a sealed text. */
export function sumOf(text: string): string {
  return text.slice(0, sumLength);
}

/** Returns what was sealed: its first word, and what follows the space after it. Undefined if the checksum is wrong. */
export function unsealed(key: string, text: string): [word: string, rest: string] | undefined {
  const body = text.slice(sumLength + 1);
  if (sealed(key, body) !== text) return undefined;
  const [word = ""] = body.split(" ", 1);
  return [word, body.slice(word.length + 1)];
}

export function damagedError(problem: string, details: object): RecordsError {
  const advice = "salvageRecords copies everything that is whole.";
  return new RecordsError("damaged", `${problem} ${advice}`, { details });
}
