import { cutAtGrapheme } from "./cut-at-grapheme.ts";

/** What a summary is made from. */
export interface SummaryInput {
  /** The beginning of the content as text with its secrets masked; undefined for binary content. */
  text?: string | undefined;
  /** The same beginning as bytes, unmasked; at most 8 KiB. */
  head: Uint8Array;
  /** True when there is more than the beginning. */
  isCut: boolean;
  sizeBytes: number;
  mimeType: string;
  source: string;
}

/** Makes the summary of a handle. The store masks secrets in what it returns and cuts it to 4,000 characters. */
export type Summarize = (input: SummaryInput) => string;

const shownChars = 200;
/** So much of a text holds what is shown of it, unless most of it is white space. */
const nearChars = 1024;

/**
 * The default: the first 200 characters as one line of plain text, cut between graphemes and marked by `...`; for binary
 * content its size and type, e.g. `binary, 12,345 bytes, image/png`.
 */
export function summarizeContent({ text, isCut, sizeBytes, mimeType }: SummaryInput): string {
  if (sizeBytes === 0) return `empty, ${mimeType}`;
  if (text === undefined) return `binary, ${withCommas(sizeBytes)} bytes, ${mimeType}`;
  const near = oneLine(text.slice(0, nearChars));
  const line = near.length > 2 * shownChars ? near : oneLine(text);
  if (line.length <= shownChars && !isCut) return line;
  return `${cutAtGrapheme(line, shownChars - 4).trimEnd()} ...`;
}

/** White space, control characters, and those that reorder the text after them. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();
}

function withCommas(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
