/**
 * Like `JSON.parse`, but a number that a double would write in another way, such as 1.0 or one with too many digits,
 * becomes a string of `mark` and its digits as they came.
 */
export function parseExactly(json: string, mark = ""): unknown {
  // Valid JSON has no string without an end, so that the tokens are found in linear time.
  const value: unknown = JSON.parse(json);
  if (!mayChange.test(json)) return value;
  const asItCame = (token: string): string =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${mark}${token}"`;
  return JSON.parse(json.replace(tokens, asItCame));
}

/** Sixteen digits, with or without a point, an exponent, a zero at the end of a fraction, or a negative zero. */
const mayChange = /\d[\d.]{15,}|\d[eE]|\.\d*0(?!\d)|-0(?![\d.])/;
const tokens = /"[^"\\]*(?:\\[^][^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
