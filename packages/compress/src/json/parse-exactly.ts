/**
 * Like `JSON.parse`, but a number with more digits than a double holds becomes a string, so that its digits are kept.
 */
export function parseExactly(json: string): unknown {
  const pieces: string[] = [];
  let written = 0;
  let quote = json.indexOf('"');
  let isInText = false;
  for (const { index } of json.matchAll(mayLoseDigits)) {
    for (; quote >= 0 && quote < index; quote = json.indexOf('"', quote + 1))
      if (!isEscaped(json, quote)) isInText = !isInText;
    if (isInText || index < written) continue;
    let start = index;
    while (/[\d.+-]/.test(json.charAt(start - 1))) start -= 1;
    number.lastIndex = start;
    const found = number.exec(json)?.[0] ?? "";
    if (found === "" || holdsDigits(found)) continue;
    pieces.push(json.slice(written, start), `"${found}"`);
    written = start + found.length;
  }
  return JSON.parse(written === 0 ? json : pieces.join("") + json.slice(written));
}

// Sixteen digits, with or without a point, or an exponent of three digits.
const mayLoseDigits = /\d[\d.]{15,}|\d[eE][+-]?\d{3}/g;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

function isEscaped(json: string, quote: number): boolean {
  let start = quote;
  while (json[start - 1] === "\\") start -= 1;
  return (quote - start) % 2 === 1;
}

function holdsDigits(number: string): boolean {
  const held = digitsOf(String(Number(number))).replace(/0+$/, "");
  const given = digitsOf(number);
  return given.startsWith(held) && /^0*$/.test(given.slice(held.length));
}

/** The significant digits of a number, without its exponent. */
function digitsOf(number: string): string {
  return number
    .replace(/[eE].*/, "")
    .replace(/\D/g, "")
    .replace(/^0+/, "");
}
