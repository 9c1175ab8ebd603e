import { compress, type CompressOptions } from "@ccl/compress";

import { imageSize } from "./image-header.ts";

/** Token limit for the text that a prompt first shows for a stored result. */
const summaryTokens = 400;

/**
 * Guesses the media type of a text: `application/json` for a JSON object or array, else plain text.
 */
export function guessMimeType(text: string): string {
  if (!/^\s*[[{]/.test(text.slice(0, 1_000))) return "text/plain; charset=utf-8";
  try {
    JSON.parse(text);
    return "application/json";
  } catch {
    return "text/plain; charset=utf-8";
  }
}

/**
 * Summarizes a stored text for a model in 400 tokens. Selects by the question and by texts stored
 * earlier.
 */
export function summarizeText(text: string, options: Omit<CompressOptions, "budget">): string {
  return compress(text, { ...options, budget: summaryTokens }).text;
}

/** Describes stored binary data for a model. */
export function summarizeBytes(bytes: Uint8Array, mimeType: string): string {
  const kind = /^(image|audio|video)\//.exec(mimeType)?.[1] ?? "binary";
  const size = kind === "image" ? imageSize(bytes) : undefined;
  return size === undefined ? `${kind} content` : `image of ${size.width} x ${size.height} pixels`;
}
