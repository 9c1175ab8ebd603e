import { truncateMiddle, type TokenCounter } from "@ccl/core";

import { compactJson } from "./compact-json.ts";
import { isIdentifierLike } from "./value-rank.ts";

/** Limits of a compact form. */
export interface CompactTextOptions {
  counter: TokenCounter;
  /** The form never counts more. */
  maxTokens: number;
}

/**
 * A text within `maxTokens`: JSON as a compact form (see `compactJson`), other text as its head, the identifiers of
 * what was cut, and its tail. A text that is short enough comes back as it is.
 */
export function compactText(text: string, { counter, maxTokens }: CompactTextOptions): string {
  if (counter.count(text) <= maxTokens) return text;
  const form = compactJson(text, { counter, maxTokens });
  if (form !== undefined && form.text !== "") return form.text;
  const plain = truncateMiddle(text, { maxTokens: Math.floor(maxTokens * 0.75), counter });
  const names = identifiersOf(text).filter((name) => !plain.text.includes(name));
  const limit = maxTokens - counter.count(plain.text) - 8;
  const named =
    names.length === 0
      ? ""
      : `\n[also named: ${withinTokens(names, { counter, maxTokens: limit })}]`;
  const whole = plain.text + named;
  return counter.count(whole) <= maxTokens
    ? whole
    : truncateMiddle(text, { maxTokens, counter }).text;
}

const longestScan = 200_000;

/** Identifiers and paths of a text in the order of first occurrence, each once. */
export function identifiersOf(text: string): string[] {
  const words = text.slice(0, longestScan).match(/[#A-Za-z0-9_][\w./@#-]{2,63}/g) ?? [];
  const names = new Set<string>();
  for (const word of words) {
    const name = word.replace(/[.:,-]+$/, "");
    if (isIdentifierLike(name)) names.add(name);
  }
  return [...names];
}

/** As many of the words as fit, joined by a comma and a space. */
function withinTokens(
  words: readonly string[],
  { counter, maxTokens }: CompactTextOptions,
): string {
  let tokens = 0;
  const kept: string[] = [];
  for (const word of words) {
    tokens += counter.count(word) + 2;
    if (tokens > maxTokens) break;
    kept.push(word);
  }
  return kept.join(", ");
}
