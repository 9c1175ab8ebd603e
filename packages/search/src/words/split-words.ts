/** A word in lower case, and the parts of an identifier: `userID2` has `user`, `id`, `2`. */
export interface SplitWord {
  /** The beginning of the word as written in the text, for messages. */
  written: string;
  /** The joined parts, up to 64 characters. */
  whole: string;
  /** One or more parts, each up to 64 characters. */
  parts: string[];
}

const maxChars = 64;

const unspaced = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => String.raw`\p{Script=${script}}`)
  .join("");
const upper = String.raw`[\p{Lu}\p{Lt}]`;
const lower = String.raw`(?:\p{Ll}|(?![${unspaced}])[\p{Lm}\p{Lo}\p{M}])`;
const digit = String.raw`(?:[0-9]|(?![${unspaced}])\p{N})`;

/**
 * Matches these alternatives in order: a script without spaces, capitals with or without a plural
 * `s` (`URLs`), capitals up to the one that starts the next part (`HTML` in `HTMLDocument`), a
 * word, and digits.
 */
const partPattern = new RegExp(
  `([${unspaced}]+)|${upper}+s(?!${lower})|${upper}+(?!${lower})|${upper}?${lower}+|${digit}+`,
  "gu",
);

/** The same pattern for ASCII text, which needs no Unicode properties. */
const asciiPartPattern = /[A-Z]+s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
// oxlint-disable-next-line no-control-regex
const ascii = /^[\u0000-\u007f]*$/;

/**
 * Splits text into words, in order. Splits at everything that is not a letter, mark or digit, at
 * changes of case, and between letters and digits. An underscore joins the parts of an identifier.
 * Scripts without spaces produce pairs of characters. Drops accents on Latin letters and English
 * possessives, and replaces Russian `ё` with `е`. Takes linear time. The text is truncated after
 * about `maxParts` parts.
 */
export function splitWords(text: string, maxParts: number): SplitWord[] {
  const folded = foldText(text);
  const words: SplitWord[] = [];
  let start = 0;
  let end = 0;
  let parts: string[] = [];
  let wasUnspaced = false;
  let count = 0;
  const endWord = (): void => {
    if (parts.length === 0) return;
    const written = folded.slice(start, Math.min(end, start + maxChars));
    words.push({ written, whole: wholeOf(parts), parts });
  };
  for (const match of folded.matchAll(ascii.test(folded) ? asciiPartPattern : partPattern)) {
    if (count >= maxParts) break;
    const isUnspaced = match[1] !== undefined;
    const isJoined =
      match.index === end ? !isUnspaced && !wasUnspaced : isUnderscores(folded, end, match.index);
    if (!isJoined || parts.length === 0) {
      endWord();
      parts = [];
      start = match.index;
    }
    const found = isUnspaced ? pairsOf(match[0]) : [match[0].slice(0, maxChars).toLowerCase()];
    for (const part of found) parts.push(part);
    count += found.length;
    end = match.index + match[0].length;
    wasUnspaced = isUnspaced;
  }
  endWord();
  return words;
}

function foldText(text: string): string {
  const plain = ascii.test(text)
    ? text
    : text
        .normalize("NFKD")
        .replaceAll(/(\p{Script=Latin})\p{M}+/gu, "$1")
        .normalize("NFKC")
        .replaceAll("ё", "е")
        .replaceAll("Ё", "Е");
  return plain.replaceAll(/['’][sS](?![\p{L}\p{M}\p{N}])/gu, "  ");
}

function isUnderscores(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (text[at] !== "_") return false;
  return true;
}

function pairsOf(text: string): string[] {
  const characters = [...text];
  return characters.length === 1
    ? characters
    : characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

function wholeOf(parts: readonly string[]): string {
  let whole = "";
  for (const part of parts) {
    if (whole.length >= maxChars) break;
    whole += part;
  }
  return whole.slice(0, maxChars);
}
