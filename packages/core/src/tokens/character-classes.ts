// What the split patterns of OpenAI's encodings ask of a character, as bits; a mark is a letter of both cases and a symbol.
export const UPPER = 1;
export const LOWER = 2;
export const LETTER = 3;
export const SYMBOL = 4;
export const NUMBER = 8;
export const SPACE = 16;
export const NEWLINE = 32;
const SURROGATE = 64;

const patterns: readonly [pattern: RegExp, bits: number][] = [
  [/[\p{Lu}\p{Lt}]+/gu, UPPER],
  [/\p{Ll}+/gu, LOWER],
  [/[\p{Lm}\p{Lo}]+/gu, LETTER],
  [/\p{M}+/gu, LETTER | SYMBOL],
  [/\p{N}+/gu, NUMBER],
  [/\s+/gu, SPACE],
  [/[\r\n]+/gu, SPACE | NEWLINE],
];

/** The class bits of every UTF-16 code unit; built at the first use, since importing must cost nothing. */
let basicPlane: Uint8Array | undefined;

function buildClasses(): Uint8Array {
  const classes = new Uint8Array(0x10000).fill(SYMBOL);
  const characters = Array.from(classes, (_, code) => String.fromCharCode(code)).join("");
  for (const [pattern, bits] of patterns) {
    for (const run of characters.matchAll(pattern)) classes.fill(bits, run.index, run.index + run[0].length);
  }
  return classes.fill(SURROGATE, 0xd800, 0xe000);
}

/** The bits of the character at `index`, 0 past the end; both halves of a surrogate pair have the bits of the pair. */
export function classAt(text: string, index: number): number {
  if (index >= text.length) return 0;
  basicPlane ??= buildClasses();
  const bits = basicPlane[text.charCodeAt(index)] ?? 0;
  return bits === SURROGATE ? classOfSurrogate(text, index) : bits;
}

/** Classes beyond the basic plane, found one by one; 0 is not yet known. */
let otherPlanes: Uint8Array | undefined;

function classOfSurrogate(text: string, index: number): number {
  const isSecondHalf = index > 0 && widthAt(text, index - 1) === 2;
  const codePoint = text.codePointAt(isSecondHalf ? index - 1 : index) ?? 0;
  otherPlanes ??= new Uint8Array(0x110000);
  const known = otherPlanes[codePoint] ?? 0;
  return known === 0 ? (otherPlanes[codePoint] = findClass(String.fromCodePoint(codePoint))) : known;
}

function findClass(character: string): number {
  return patterns.find(([pattern]) => character.search(pattern) === 0)?.[1] ?? SYMBOL;
}

/** 2 where a surrogate pair begins, else 1. */
export function widthAt(text: string, index: number): 1 | 2 {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00 ? 2 : 1;
}
