/** A set of ASCII characters that runs of text are measured with. */
export class CharacterClass {
  readonly #members: Uint8Array;

  constructor(members: RegExp) {
    this.#members = Uint8Array.from({ length: 128 }, (_, code) => (members.test(String.fromCharCode(code)) ? 1 : 0));
  }

  /** True when the character at `index` is a member; false outside the text. */
  has(text: string, index: number): boolean {
    const code = text.charCodeAt(index);
    return code < 128 && this.#members[code] === 1;
  }

  /** Where the run of members that begins at `from` ends; looks no further than `limit`. */
  end(text: string, from: number, limit: number = text.length): number {
    let end = from;
    while (end < limit && this.has(text, end)) end += 1;
    return end;
  }

  /** Where the run of members that ends before `end` begins; looks no further back than `limit`. */
  start(text: string, end: number, limit: number): number {
    let start = end;
    while (start > limit && this.has(text, start - 1)) start -= 1;
    return start;
  }
}

export const alphanumeric: CharacterClass = new CharacterClass(/[A-Za-z0-9]/);
export const digit: CharacterClass = new CharacterClass(/\d/);
export const hexadecimal: CharacterClass = new CharacterClass(/[A-Fa-f0-9]/);
export const upperCase: CharacterClass = new CharacterClass(/[A-Z0-9]/);
/** base64url; also the words of an identifier. */
export const word: CharacterClass = new CharacterClass(/[\w-]/);
export const dotted: CharacterClass = new CharacterClass(/[\w.-]/);
export const base64: CharacterClass = new CharacterClass(/[A-Za-z0-9+/=]/);
/** base64, base64url and the token68 of HTTP, percent-encoded or not. */
export const encoded: CharacterClass = new CharacterClass(/[\w.~%+/=-]/);
/** What never ends an unquoted value. */
export const plain: CharacterClass = new CharacterClass(/[\w.~%+/=!@#$^*?:|-]/);
/** What ends the `user:password@host` of a URL. */
export const authorityEnd: CharacterClass = new CharacterClass(/[^\w.~%!$&()*+,;=:@[\]^{|}-]/);

const escapeEnd = /(?:\\[nrtbfv0]|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|%[0-9a-f]{2}|\[[0-9;]{0,12}m)$/i;

/** True where a token can begin: not inside a word, though an escape such as `\n`, `%3D` or a colour may touch it. */
export function isTokenStart(text: string, index: number): boolean {
  return !alphanumeric.has(text, index - 1) || escapeEnd.test(text.slice(Math.max(0, index - 14), index));
}

/** Where a sticky pattern that is tried at `at` ends; undefined when it doesn't match there. */
export function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
