import type { TokenCounter } from "@ccl/core";

import { applyVocabulary } from "../compress/vocabulary.ts";

/** What the bodies are shortened with. */
export interface ShortenOptions {
  counter: TokenCounter;
  /** Long term to short term. */
  vocabulary: Record<string, string>;
  /** Texts that stand beside the bodies as they are: a short term that is a word of one of them would be read wrongly. */
  verbatim: string[];
}

/** Applies a vocabulary to bodies as one text, so that its legend is paid for once. */
export function shortenBodies(
  bodies: string[],
  options: ShortenOptions,
): { bodies: string[]; legend: string } {
  const taken = new Set(options.verbatim.join(" ").match(/[\p{L}\p{M}\p{N}_$]+/gu));
  const usable = Object.entries(options.vocabulary).filter(([, short]) => !taken.has(short));
  if (usable.length === 0) return { bodies, legend: "" };
  const { text, legend } = applyVocabulary(
    bodies.join("\n"),
    Object.fromEntries(usable),
    options.counter,
  );
  if (legend === "") return { bodies, legend };
  // No term holds a line end, so each body keeps its number of lines.
  const lines = text.split("\n");
  let start = 0;
  const shortened = bodies.map((body) => {
    const end = start + body.split("\n").length;
    const part = lines.slice(start, end).join("\n");
    start = end;
    return part;
  });
  return { bodies: shortened, legend };
}
