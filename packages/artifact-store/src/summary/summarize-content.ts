import { groupDigits, redactSecrets } from "@ccl/core";
import { cutAtGrapheme } from "./cut-at-grapheme.ts";

/** Number of bytes at the start of content that a summary uses. */
export const headBytes: number = 8 * 1024;
// A secret that is cut in two may not be recognised, so this many characters before a cut are hidden.
const hiddenChars = 1024;
const maxSummaryChars = 4_000;
const shownChars = 200;

/** Input of a summary. */
export interface SummaryInput {
  /** The first bytes of the content, up to `headBytes`. */
  head: Uint8Array;
  /** True if the content is longer than `head`. */
  isCut: boolean;
  sizeBytes: number;
  mimeType: string;
}

/**
 * Returns a summary for listings: the first 200 characters as one line of plain text with secrets masked, cut between
 * graphemes and marked with `...`. For binary content, returns its size and type, e.g. `binary, 12,345 bytes,
 * image/png`.
 */
export function summarizeContent({ head, isCut, sizeBytes, mimeType }: SummaryInput): string {
  if (sizeBytes === 0) return `empty, ${mimeType}`;
  const text = textOf(head, isCut);
  if (text === undefined) return `binary, ${groupDigits(sizeBytes)} bytes, ${mimeType}`;
  const line = oneLine(masked(text, isCut));
  if (line.length <= shownChars && !isCut) return clean(line);
  return clean(`${cutAtGrapheme(line, shownChars - 4).trimEnd()} ...`);
}

/** Cleans a caller's summary: masks secrets, then cuts it to 4,000 characters. */
export function cleanSummary(summary: string): string {
  // Only the beginning of long text is masked.
  const isCut = summary.length > 8 * maxSummaryChars;
  return clean(
    cutAtGrapheme(masked(summary.slice(0, 8 * maxSummaryChars), isCut), maxSummaryChars),
  );
}

function masked(text: string, isCut: boolean): string {
  const { text: shown } = redactSecrets(text);
  return isCut ? shown.slice(0, Math.max(0, shown.length - hiddenChars)) : shown;
}

/** Removes NUL and lone surrogates, which some backends cannot store. */
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

/** Replaces white space, control characters and characters that reorder text. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();
}
