import { compress } from "@ccl/compress";
import { truncateMiddle, type TokenCounter } from "@ccl/core";

import { formatCount } from "./fit-policy.ts";

/** What a text is shortened by. */
export interface ShortenOptions {
  counter: TokenCounter;
  maxTokens: number;
  /** What the text was asked for. */
  query: string;
  /** How to get the rest; "" where there is no way. */
  hint: string;
}

/** All that a tool's text says in fewer tokens; the text itself where there is no such form. */
export function losslessText(text: string, counter: TokenCounter): string {
  const tokens = counter.count(text);
  const { text: form, tokens: size, isLossless } = compress(text, { budget: tokens, counter });
  return isLossless && size <= tokens * 0.95 ? form : text;
}

/** A tool's text within the limit, by what was asked for and what stands out; says what it is of, and how to get the rest. */
export function selectText(text: string, options: ShortenOptions): string {
  const { counter, query } = options;
  return withHeader(text, options, (maxTokens) => {
    const selected = compress(text, { budget: maxTokens, query, counter });
    // One long line has no parts to choose from.
    return selected.omitted > 0 && selected.tokens < maxTokens / 2
      ? truncateMiddle(text, { maxTokens, counter }).text
      : selected.text;
  });
}

/** What was said, within the limit: its head and its tail. */
export function cutText(text: string, options: ShortenOptions): string {
  const { counter } = options;
  return withHeader(
    text,
    options,
    (maxTokens) => truncateMiddle(text, { maxTokens, counter }).text,
  );
}

function withHeader(
  text: string,
  { counter, maxTokens, hint }: ShortenOptions,
  shorten: (maxTokens: number) => string,
): string {
  const tokens = counter.count(text);
  if (tokens <= maxTokens) return text;
  const total = formatCount(tokens);
  const header = `[Shortened from ${total} tokens${hint === "" ? "" : `; ${hint}`}]\n`;
  const short = shorten(Math.max(0, maxTokens - counter.count(header) - 1));
  return short === "" ? header.trimEnd() : header + short;
}
