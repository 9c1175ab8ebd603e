import { redactSecrets } from "@ccl/core";
import { invalidInput } from "../store/check-input.ts";
import { cutAtGrapheme } from "./cut-at-grapheme.ts";
import { summarizeContent, type Summarize, type SummaryInput } from "./summarize-content.ts";

/** How much of a content a summary looks at. */
export const headBytes: number = 8 * 1024;
// A secret that a cut goes through may not be known as one: this much before a cut is never shown.
const hiddenChars = 1024;
const maxSummaryChars = 4_000;

/** @throws ArtifactStoreError `invalid_input` when `summarize` throws or returns no text */
export function makeSummary(input: Omit<SummaryInput, "text">, summarize: Summarize): string {
  const text = textOf(input.head, input.isCut);
  // Size and type have nothing to mask.
  if (text === undefined && summarize === summarizeContent) return summarizeContent(input);
  let summary: unknown;
  try {
    const head = input.head.slice();
    summary = summarize(text === undefined ? { ...input, head } : { ...input, head, text });
  } catch (error) {
    throw invalidInput("The summarize function failed; nothing was stored.", error);
  }
  if (typeof summary !== "string")
    throw invalidInput("The summarize function returned no text; nothing was stored.");
  return cleanSummary(summary);
}

/** Secrets masked first, then cut; what no backend can keep as text becomes U+FFFD. */
export function cleanSummary(summary: string): string {
  // Masking is linear, but there is no need to read a book for four thousand characters of it.
  const isCut = summary.length > 8 * maxSummaryChars;
  const masked = maskedText(isCut ? summary.slice(0, 8 * maxSummaryChars) : summary, isCut);
  const kept = masked.length > maxSummaryChars ? cutAtGrapheme(masked, maxSummaryChars) : masked;
  return kept.replace(/\p{Surrogate}|\0/gu, "\ufffd");
}

function textOf(head: Uint8Array, isCut: boolean): string | undefined {
  // Nearly all binary content has a zero byte, and finding it costs far less than the error of a decoder.
  if (head.includes(0)) return undefined;
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: isCut });
  } catch {
    return undefined;
  }
  return maskedText(text, isCut);
}

function maskedText(text: string, isCut: boolean): string {
  const masked = redactSecrets(text).text;
  return isCut ? masked.slice(0, Math.max(0, masked.length - hiddenChars)) : masked;
}
