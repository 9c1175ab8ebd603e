import { parseJson } from "@ccl/core/json";
import { closes, isQuote } from "./marks.ts";
import type { Repair, RepairKind } from "./repair.ts";

interface DecodeOptions {
  /** The opening quote. Unescaped ones inside the string are listed as repairs. */
  mark: string;
  /** The content's offset in the text. */
  offset: number;
  repairs: Repair[];
}

/**
 * An escape. The second group matches those that JSON does not intend: `\d`, and `\b` or `\f` within a word, as in
 * `\frac`.
 */
const ESCAPE = /\\(?:(u[\da-fA-F]{4}|["\\/nrt]|[bf](?![a-z]))|([\s\S]?))/g;
/** Start of a path with backslashes. */
export const WINDOWS_PATH: RegExp = /^(?:[a-zA-Z]:|\\)\\/;

/** What `decodeString` looks for: an escape, or a character that JSON would escape or could mistake for the end. */
const SPECIAL = /\\(u[\da-fA-F]{4}|[\s\S]?)|["'`\p{Cc}\p{Pi}\p{Pf}]/gu;

/**
 * Decodes the escapes in a string's content. An unintended escape such as `\d` shows that backslashes are literal, so
 * `\b` is not a backspace either. Returns undefined if that leaves `\n`, `\r` or `\t` ambiguous.
 */
export function decodeString(raw: string, options: DecodeOptions): string | undefined {
  const { mark, offset, repairs } = options;
  const isRaw = raw.includes("\\") && hasForeignEscape(raw);
  if (isRaw && !WINDOWS_PATH.test(raw) && /(?<!\\)(?:\\\\)*\\[nrt]/.test(raw)) return undefined;
  const list = (kind: RepairKind, at: number): void =>
    void repairs.push({ kind, position: offset + at });
  return raw.replaceAll(SPECIAL, (found: string, marker?: string, at = 0): string => {
    if (marker === undefined) {
      if (found < " ") list("control_character", at);
      else if (found === mark || closes(mark, found) !== undefined) list("unescaped_quote", at);
      return found;
    }
    const isKept = isRaw && /^[bfnrt]$/.test(marker);
    if (/^(?:["\\/bfnrt]|u.{4})$/.test(marker) && !isKept) return String(parseJson(`"${found}"`));
    list("invalid_escape", at);
    return marker !== '"' && (isQuote(marker) || marker === "\n") ? marker : found;
  });
}

function hasForeignEscape(raw: string): boolean {
  for (const [, , marker] of raw.matchAll(ESCAPE))
    if (marker !== undefined && !isQuote(marker) && marker !== "\n") return true;
  return false;
}
