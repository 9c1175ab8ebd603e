import { compress } from "@ccl/compress";
import { groupDigits, truncateMiddle, type TokenCounter } from "@ccl/core";

/** How to shorten text. */
interface ShortenOptions {
  counter: TokenCounter;
  maxTokens: number;
  /** The question that the text answers. */
  query: string;
  /** How to get the rest. "" if it is not available. */
  hint: string;
}

/** Shortens a tool's text without loss. Returns it unchanged if that is not possible. */
export function losslessText(text: string, counter: TokenCounter): string {
  const tokens = counter.count(text);
  const { text: form, tokens: size, isLossless } = compress(text, { budget: tokens, counter });
  return isLossless && size <= tokens * 0.95 ? form : text;
}

/**
 * Shortens a tool's text to the limit. Selects by the query and by what stands out. A header states
 * the original size and how to get the rest.
 */
export function selectText(text: string, options: ShortenOptions): string {
  const { counter, query } = options;
  return withHeader(text, options, (maxTokens) => {
    const selected = compress(text, { budget: maxTokens, query, counter });
    // A single long line has no parts to select, so it is cut in the middle.
    return selected.omitted > 0 && selected.tokens < maxTokens / 2
      ? truncateMiddle(text, { maxTokens, counter }).text
      : selected.text;
  });
}

/** Keeps the start and end of a person's or model's text, within the limit. */
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
  const total = groupDigits(tokens);
  const header = `[Shortened from ${total} tokens${hint === "" ? "" : `; ${hint}`}]\n`;
  const short = shorten(Math.max(0, maxTokens - counter.count(header) - 1));
  return short === "" ? header.trimEnd() : header + short;
}
