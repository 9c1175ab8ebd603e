import { redactSecrets } from "@ccl/core";
import { cutAtGrapheme } from "./cut-at-grapheme.ts";

/** How much of a content a summary looks at. */
export const headBytes: number = 8 * 1024;
// A secret that a cut goes through may not be recognised: this much before a cut is never shown.
const hiddenChars = 1024;
const maxSummaryChars = 4_000;
const shownChars = 200;

/** What a summary is made from. */
export interface SummaryInput {
  /** The beginning of the content; at most `headBytes`. */
  head: Uint8Array;
  /** True when there is more than the beginning. */
  isCut: boolean;
  sizeBytes: number;
  mimeType: string;
}

/**
 * For listings: the first 200 characters as one line of plain text with its secrets masked, cut between graphemes and
 * marked by `...`; for binary content its size and type, e.g. `binary, 12,345 bytes, image/png`.
 */
export function summarizeContent({ head, isCut, sizeBytes, mimeType }: SummaryInput): string {
  if (sizeBytes === 0) return `empty, ${mimeType}`;
  const text = textOf(head, isCut);
  if (text === undefined) return `binary, ${withCommas(sizeBytes)} bytes, ${mimeType}`;
  const line = oneLine(masked(text, isCut));
  if (line.length <= shownChars && !isCut) return clean(line);
  return clean(`${cutAtGrapheme(line, shownChars - 4).trimEnd()} ...`);
}

/** A summary of the caller's: secrets masked, then cut to 4,000 characters. */
export function cleanSummary(summary: string): string {
  // A short beginning is masked, not a whole book.
  const isCut = summary.length > 8 * maxSummaryChars;
  return clean(
    cutAtGrapheme(masked(summary.slice(0, 8 * maxSummaryChars), isCut), maxSummaryChars),
  );
}

function masked(text: string, isCut: boolean): string {
  const { text: shown } = redactSecrets(text);
  return isCut ? shown.slice(0, Math.max(0, shown.length - hiddenChars)) : shown;
}

/** Not every backend keeps NUL and lone surrogates. */
function clean(text: string): string {
  return text.replace(/\p{Surrogate}|\0/gu, "\ufffd");
}

function textOf(head: Uint8Array, isCut: boolean): string | undefined {
  if (head.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: isCut });
  } catch {
    return undefined;
  }
}

/** White space, control characters, and those that reorder the text after them. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();
}

function withCommas(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
