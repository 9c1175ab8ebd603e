import type { TokenCounter } from "@ccl/core";

const mark = "[...]";

/** Shortens a string to about `max` characters: keeps its beginning and end. */
export function clipMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const tail = Math.floor(max / 4);
  return `${withoutHalfPairs(text.slice(0, max - tail))}${mark}${withoutHalfPairs(text.slice(text.length - tail))}`;
}

/** Shortens a string to about `max` characters: keeps its beginning and the text around `place`. */
export function clipAround(text: string, max: number, place: number): string {
  if (text.length <= max) return text;
  const head = place < max * 0.7 ? 0 : Math.floor(max / 3);
  const room = max - head;
  const start =
    head === 0 ? 0 : Math.min(Math.max(head, place - Math.floor(room / 3)), text.length - room);
  const end = start + room;
  const begin =
    start > head ? `${withoutHalfPairs(text.slice(0, head))}${mark}` : text.slice(0, start);
  return `${begin}${withoutHalfPairs(text.slice(start, end))}${end < text.length ? mark : ""}`;
}

/** Removes half a surrogate pair at either end. */
function withoutHalfPairs(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
}

/** A token budget and the counter for it. */
export interface Room {
  budget: number;
  counter: TokenCounter;
}

/** Shortens a string, as `clipMiddle` does, until it fits. Empty if nothing fits. */
export function clipTo(text: string, { budget, counter }: Room): { text: string; tokens: number } {
  for (let chars = Math.min(text.length, budget * 6); chars >= 1; chars = Math.floor(chars * 0.8)) {
    const shown = clipMiddle(text, chars);
    const tokens = counter.count(shown);
    if (tokens <= budget) return { text: shown, tokens };
  }
  return { text: "", tokens: 0 };
}
