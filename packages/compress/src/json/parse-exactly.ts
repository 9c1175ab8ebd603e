/** `JSON.parse`, but a number of more digits than a double holds becomes a text, so that it is shown as it came. */
export function parseExactly(json: string): unknown {
  if (!mayLoseDigits.test(json)) return JSON.parse(json);
  let isInText = false;
  const exact = json.replace(token, (found) => {
    if (found === '"') isInText = !isInText;
    return isInText || !mayLoseDigits.test(found) || holdsDigits(found) ? found : `"${found}"`;
  });
  return JSON.parse(exact);
}

// Sixteen digits, with or without a point between them, or an exponent of three.
const mayLoseDigits = /\d[\d.]{15}|\d[eE][+-]?\d{3}/;
const token = /\\.|"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

function holdsDigits(number: string): boolean {
  const held = digitsOf(String(Number(number))).replace(/0+$/, "");
  const given = digitsOf(number);
  return given.startsWith(held) && /^0*$/.test(given.slice(held.length));
}

/** The digits of a number from the first that is not 0, without those of its exponent. */
function digitsOf(number: string): string {
  return number
    .replace(/[eE].*/, "")
    .replace(/\D/g, "")
    .replace(/^0+/, "");
}
