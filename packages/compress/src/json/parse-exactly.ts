/**
 * Parses JSON like `JSON.parse`, but preserves numbers that a double would write differently, such as 1.0 or one with
 * too many digits. Such a number becomes a string of `mark` and its original digits.
 */
export function parseExactly(json: string, mark = ""): unknown {
  // Valid JSON has no unterminated string, so the tokens are found in linear time.
  const value: unknown = JSON.parse(json);
  if (!mayChange.test(json)) return value;
  const asItCame = (token: string): string =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${mark}${token}"`;
  return JSON.parse(json.replace(tokens, asItCame));
}

/** Matches sixteen digits with or without a point, an exponent, a zero at the end of a fraction, or a negative zero. */
const mayChange = /\d[\d.]{15,}|\d[eE]|\.\d*0(?!\d)|-0(?![\d.])/;
const tokens = /"[^"\\]*(?:\\[^][^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
