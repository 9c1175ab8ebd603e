/**
 * How likely a later call is to use a scalar: 3 for identifiers, 2 for dates, amounts and names, 1
 * for other short values, 0 for the rest.
 */
type ValueRank = 0 | 1 | 2 | 3;

const identifierKey =
  /(?:^|[_\-. ])(?:id|ids|uuid|guid|key|number|no|code|sku|ref|reference|token|handle|path|file|url|uri|slug)$|[a-z](?:Id|Ids|Key|Code|Number|Path|Url)$/;
const valuableKey =
  /name|date|time|day|email|phone|zip|postal|amount|price|total|cost|balance|address|city|state|country|street|dob|birth|user|version/i;
const dateLike = /^\d{4}-\d{2}-\d{2}/;
const longestValue = 64;

/**
 * Ranks a scalar by its key and its shape. Both may be hostile, so every test takes linear time on
 * a bounded string.
 */
export function rankValue(key: string, value: unknown): ValueRank {
  if (value === null || typeof value === "boolean" || value === "") return 0;
  const text = String(value);
  if (text.length > longestValue) return 0;
  if (dateLike.test(text)) return 2;
  if (key.length <= longestValue && identifierKey.test(key)) return 3;
  if (isIdentifierLike(text)) return 3;
  if (key.length <= longestValue && valuableKey.test(key)) return 2;
  return 1;
}

/**
 * True for words that mix letters and digits, such as `HAT136`, `mia_li_3668`, `#W2378156`, `src/a.ts`, `np.hstack`, and for
 * long numbers and dates.
 */
export function isIdentifierLike(text: string): boolean {
  if (text.length < 4 || text.length > longestValue || /\s/.test(text)) return false;
  if (/^\d+$/.test(text)) return text.length >= 6;
  if (dateLike.test(text)) return true;
  if (/^-?[\d.,]+$/.test(text)) return false;
  return /\d/.test(text)
    ? /[A-Za-z#_]/.test(text)
    : /[a-z0-9][/_@][a-z0-9]|[a-z_]{2}\.[a-z_]{2}/i.test(text);
}
