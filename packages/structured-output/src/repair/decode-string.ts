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

/** An escape of JSON, but not `\b` or `\f` within a word, as in `\frac`. */
const JSON_ESCAPE = /\\(?:u[\da-fA-F]{4}|["\\/nrt]|[bf](?![a-z]))/g;
/** A backslash that escapes neither a quote nor a line break. */
const LITERAL_BACKSLASH = /\\(?![\n"'`´＂＇「『〝´\p{Pi}\p{Pf}„‚])/u;
/** Start of a path with backslashes. */
export const WINDOWS_PATH: RegExp = /^(?:[a-zA-Z]:|\\)\\/;

/** What `decodeString` looks for: an escape, or a character that JSON would escape or could mistake for the end. */
const SPECIAL = /\\(u[\da-fA-F]{4}|[\s\S]?)|["'`\p{Cc}\p{Pi}\p{Pf}]/gu;

const PLAIN = /^[ !#-&(-[\]-_a-~]*$/;

/**
 * Decodes the escapes in a string's content. An unintended escape such as `\d` shows that backslashes are literal, so
 * `\b` is not a backspace either. Returns undefined if that leaves `\n`, `\r` or `\t` ambiguous.
 */
export function decodeString(raw: string, options: DecodeOptions): string | undefined {
  if (PLAIN.test(raw)) return raw;
  const { mark, offset, repairs } = options;
  const hasEscapes = raw.includes("\\");
  const isRaw = hasEscapes && LITERAL_BACKSLASH.test(raw.replaceAll(JSON_ESCAPE, ""));
  const json = hasEscapes && !isRaw && mark === '"' ? parseJson(`"${raw}"`) : undefined;
  if (typeof json === "string") return json;
  if (isRaw && !WINDOWS_PATH.test(raw) && /(?<!\\)(?:\\\\)*\\[nrt]/.test(raw)) return undefined;
  const list = (kind: RepairKind, at: number): void =>
    void repairs.push({ kind, position: offset + at });
  return raw.replaceAll(SPECIAL, (found: string, marker?: string, at = 0): string => {
    if (marker === undefined) {
      if (found < " ") list("control_character", at);
      else if (found === mark || closes(mark, found) !== undefined) list("unescaped_quote", at);
      return found;
    }
    // The first backslashes of `\\server\share` are literal too.
    const isKept = isRaw && (/^[bfnrt]$/.test(marker) || (at === 0 && /^\\\\\w/.test(raw)));
    if (/^(?:["\\/bfnrt]|u.{4})$/.test(marker) && !isKept) return String(parseJson(`"${found}"`));
    list("invalid_escape", at);
    return marker !== '"' && (isQuote(marker) || marker === "\n") ? marker : found;
  });
}
