// The character properties that the split patterns of OpenAI's encodings use, as bits. A combining
// mark counts as a letter of both cases and as a symbol.
export const UPPER = 1;
export const LOWER = 2;
export const LETTER = 3;
export const SYMBOL = 4;
export const NUMBER = 8;
export const SPACE = 16;
export const NEWLINE = 32;

const patterns: readonly [pattern: RegExp, bits: number][] = [
  [/^[\r\n]/, SPACE | NEWLINE],
  [/^\s/, SPACE],
  [/^[\p{Lu}\p{Lt}]/u, UPPER],
  [/^\p{Ll}/u, LOWER],
  [/^[\p{Lm}\p{Lo}]/u, LETTER],
  [/^\p{M}/u, LETTER | SYMBOL],
  [/^\p{N}/u, NUMBER],
];

/**
 * Bits by code point, filled in as characters occur. 0 means unknown. Surrogate halves always stay
 * unknown.
 */
const known: Uint8Array = /* @__PURE__ */ withIdeographs(new Uint8Array(0x110000));

/** Presets ideographs and Hangul, since a text may contain thousands of different ones. */
function withIdeographs(classes: Uint8Array): Uint8Array {
  return classes
    .fill(LETTER, 0x3400, 0x4dc0)
    .fill(LETTER, 0x4e00, 0xa000)
    .fill(LETTER, 0xac00, 0xd7a4)
    .fill(LETTER, 0x20000, 0x2a6e0);
}

/**
 * Returns the bits of the character at `index`, 0 past the end. Both halves of a surrogate pair
 * have the bits of the pair.
 */
export function classAt(text: string, index: number): number {
  if (index >= text.length) return 0;
  return known[text.charCodeAt(index)] || learnClass(text, index);
}

/**
 * Finds the first index from `start` whose class has none of `bits`. The loop makes no calls, since
 * long runs are common.
 */
export function findRunEnd(text: string, start: number, bits: number): number {
  let end = start;
  while (end < text.length && (known[text.charCodeAt(end)] || learnClass(text, end)) & bits) end++;
  return end;
}

function learnClass(text: string, index: number): number {
  const isSecondHalf = index > 0 && widthAt(text, index - 1) === 2;
  const codePoint = text.codePointAt(isSecondHalf ? index - 1 : index) ?? 0;
  const bits = known[codePoint] || findClass(String.fromCodePoint(codePoint));
  if (codePoint < 0xd800 || codePoint > 0xdfff) known[codePoint] = bits;
  return bits;
}

function findClass(character: string): number {
  return patterns.find(([pattern]) => pattern.test(character))?.[1] ?? SYMBOL;
}

/** Returns 2 at the start of a surrogate pair, otherwise 1. */
export function widthAt(text: string, index: number): 1 | 2 {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800 &&
    (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
    ? 2
    : 1;
}
