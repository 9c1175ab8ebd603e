// Control, format (bidi and zero-width among them), private-use and unassigned characters, and every kind of space.
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Zs}\p{Surrogate}\uFFFC]+/gu;
const plain = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

/**
 * Converts text to one line without control, bidi or zero-width characters. Runs of white space
 * become one space. The result has up to `maxChars` UTF-16 code units, and a cut ends with `…`.
 * This keeps text from a record from beginning a line or hiding other text.
 */
export function inertText(text: string, maxChars: number): string {
  if (text.length <= maxChars && plain.test(text)) return text;
  // Clean only the beginning, so that a description of several megabytes costs no more than one page.
  const head = text.slice(0, maxChars * 4 + 64);
  const line = head.replace(unseen, " ").replace(/ {2,}/g, " ").trim();
  return line.length <= maxChars && head.length === text.length ? line : cutText(line, maxChars);
}

function cutText(line: string, maxChars: number): string {
  if (maxChars < 2) return "…".slice(0, Math.max(0, maxChars));
  let end = Math.min(line.length, maxChars - 1);
  const last = line.charCodeAt(end - 1);
  if (last >= 0xd800 && last < 0xdc00) end -= 1;
  return `${line.slice(0, end).trimEnd()}…`;
}
