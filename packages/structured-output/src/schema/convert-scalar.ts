import { canonicalJson } from "@ccl/core";

// "1,234" may be a decimal number or have a thousands separator, so it is rejected.
const grouped = /\d{1,3}(?:[_ '\u00a0\u202f]\d{3})+|\d{1,3}(?:,\d{3}){2,}|\d{1,3},\d{3}(?=\.)/;
const plainNumber = new RegExp(`^[+-]?(?:\\d+|${grouped.source})(?:\\.\\d+)?(?:e[+-]?\\d+)?$`, "i");
const separators = /[,_ '\u00a0\u202f]/g;
const truth = /^(?:(true|yes)|false|no)$/i;
const nothing = /^(?:null|none|nil|n\/a|undefined)?$/i;

/**
 * Converts a scalar to `type` if its text means one ("yes" is true). Boxed because the value may be null. Undefined if
 * it does not convert. A number's text is `digits` if known.
 */
export function convertScalar(
  value: unknown,
  type: unknown,
  digits?: unknown,
): { value: unknown } | undefined {
  if (type === "string") {
    if (typeof value === "number" && typeof digits === "string") return { value: digits };
    const isScalar = typeof value === "number" || typeof value === "boolean";
    return isScalar ? { value: String(value) } : undefined;
  }
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (type === "null") return text !== "" && meansNothing(text) ? { value: null } : undefined;
  if (type === "boolean") {
    const said = truth.exec(text);
    return said === null ? undefined : { value: said[1] !== undefined };
  }
  if ((type !== "number" && type !== "integer") || !plainNumber.test(text)) return undefined;
  const number = Number(text.replaceAll(separators, ""));
  // An integer that a double cannot represent exactly would become another number.
  const isKept = /[.e]/i.test(text) ? Number.isFinite(number) : Number.isSafeInteger(number);
  const isWanted = isKept && (type === "number" || Number.isInteger(number));
  return isWanted ? { value: number } : undefined;
}

/** True for empty text, and words such as "none". */
export function meansNothing(text: string): boolean {
  return nothing.test(text.trim());
}

/**
 * Finds the constant that a value means. Boxed because it may be null. Tries the same value, then the only one with the
 * same words, then the only one before a colon or dash, as in `HIGH: breaks the build`.
 */
export function constantFor(
  constants: readonly unknown[],
  value: unknown,
  digits: () => unknown = () => undefined,
): { value: unknown } | undefined {
  const json = canonicalJson(value);
  if (constants.some((constant) => canonicalJson(constant) === json)) return { value };
  const texts = typeof value === "string" ? [value, value.split(/[:–—]| - /, 1)[0] ?? ""] : [];
  for (const text of texts) {
    const [meant, ...others] = constants.filter((constant) => isMeant(constant, text));
    if (meant !== undefined && others.length === 0) return { value: meant };
  }
  return constants.length > 0 && typeof value !== "string" && typeof value !== "object"
    ? constantFor(constants, String((typeof value === "number" ? digits() : undefined) ?? value))
    : undefined;
}

function isMeant(constant: unknown, text: string): boolean {
  if (typeof constant === "string") return sameWords(constant, text);
  const converted = convertScalar(text, constant === null ? "null" : typeof constant);
  return converted !== undefined && converted.value === constant;
}

function sameWords(left: string, right: string): boolean {
  const [first, second] = [wordsOf(left), wordsOf(right)];
  return first === second && first !== "";
}

/** Normalizes text, ignoring case, separators between words and surrounding punctuation. */
export function wordsOf(text: string): string {
  return text
    .trim()
    .replace(/^["'*`_]+/, "")
    .replace(/["'*`_.!]+$/, "")
    .toLowerCase()
    .replaceAll(/(?<=[\p{L}\p{N}])[\s_-]+(?=[\p{L}\p{N}])/gu, "");
}
