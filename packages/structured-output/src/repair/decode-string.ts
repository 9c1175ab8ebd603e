import { closes, isQuote } from "./marks.ts";
import type { Repair } from "./repair.ts";

interface DecodeOptions {
  /** The opening quote. Unescaped ones inside are listed as repairs. */
  mark: string;
  /** Offset of the content in the text. */
  offset: number;
  repairs: Repair[];
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};
/**
 * An escape. The second group holds those that JSON does not intend: `\d`, and `\b` or `\f` within a word, as in
 * `\frac`.
 */
const ESCAPE = /\\(?:(u[\da-fA-F]{4}|["\\/nrt]|[bf](?![a-z]))|([\s\S]?))/g;
/** The start of a path with backslashes. */
export const WINDOWS_PATH: RegExp = /^(?:[a-zA-Z]:|\\)\\/;

/**
 * Decodes the escapes in a string's content. An unintended escape such as `\d` shows that backslashes are literal, so
 * that `\b` is not a backspace either. Undefined if that leaves `\n`, `\r` or `\t` ambiguous.
 */
export function decodeString(raw: string, options: DecodeOptions): string | undefined {
  const { mark, offset, repairs } = options;
  const special = /[\\"'`\p{Cc}\p{Pi}\p{Pf}]/gu;
  const isRaw = raw.includes("\\") && hasForeignEscape(raw);
  if (isRaw && !WINDOWS_PATH.test(raw) && /(?<!\\)(?:\\\\)*\\[nrt]/.test(raw)) return undefined;
  let decoded = "";
  let from = 0;
  for (let match = special.exec(raw); match !== null; match = special.exec(raw)) {
    const at = match.index;
    const character = match[0];
    if (character === "\\") {
      const { text, length, isValid } = decodeEscape(raw, at, isRaw);
      if (!isValid) repairs.push({ kind: "invalid_escape", position: offset + at });
      decoded += raw.slice(from, at) + text;
      from = at + length;
      special.lastIndex = from;
    } else if (character < " ") repairs.push({ kind: "control_character", position: offset + at });
    else if (character === mark || closes(mark, character) !== undefined)
      repairs.push({ kind: "unescaped_quote", position: offset + at });
  }
  return from === 0 ? raw : decoded + raw.slice(from);
}

function hasForeignEscape(raw: string): boolean {
  for (const [, , marker] of raw.matchAll(ESCAPE))
    if (marker !== undefined && !isQuote(marker) && marker !== "\n") return true;
  return false;
}

function decodeEscape(
  raw: string,
  at: number,
  isRaw: boolean,
): { text: string; length: number; isValid: boolean } {
  const marker = raw[at + 1] ?? "";
  const isKept = isRaw && /[bfnrt]/.test(marker);
  const known = Object.hasOwn(ESCAPES, marker) && !isKept ? ESCAPES[marker] : undefined;
  if (known !== undefined) return { text: known, length: 2, isValid: true };
  const digits = raw.slice(at + 2, at + 6);
  if (marker === "u" && /^[0-9a-fA-F]{4}$/.test(digits))
    return { text: String.fromCharCode(Number.parseInt(digits, 16)), length: 6, isValid: true };
  if (marker !== '"' && (isQuote(marker) || marker === "\n"))
    return { text: marker, length: 2, isValid: false };
  return { text: `\\${marker}`, length: 1 + marker.length, isValid: false };
}
