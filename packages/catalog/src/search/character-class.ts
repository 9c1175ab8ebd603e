/** What a code point is to the splitter: 0 separates, 1 upper-case letter, 2 other letter or mark, 3 digit, 4 a script without spaces. */
type CharacterClass = 0 | 1 | 2 | 3 | 4;

const unknown = 255;
const cache = new Uint8Array(0x10000).fill(unknown);

const withoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The class of a code point; a lone surrogate separates. */
export function characterClass(codePoint: number): number {
  if (codePoint > 0xffff) return classify(codePoint);
  const known = cache[codePoint] ?? unknown;
  if (known !== unknown) return known;
  const found = classify(codePoint);
  cache[codePoint] = found;
  return found;
}

function classify(codePoint: number): CharacterClass {
  const character = String.fromCodePoint(codePoint);
  if (withoutSpaces.test(character)) return 4;
  if (/\p{Lu}|\p{Lt}/u.test(character)) return 1;
  if (/\p{L}|\p{M}/u.test(character)) return 2;
  return /\p{N}/u.test(character) ? 3 : 0;
}
