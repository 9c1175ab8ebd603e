import { isQuote } from "./marks.ts";
import { COST, type Grammar, pushText, type Reading, repaired } from "./reading.ts";

/** True if a string begins there, with any kind of quotes or escaped ones. */
export function startsString(text: string, position: number): boolean {
  return isQuote(text[position]) || (text[position] === "\\" && text[position + 1] === '"');
}

/** Opens the string at the reading's position, in every way its quotes allow. */
export function openStrings({ view, push }: Grammar, reading: Reading, isKey: boolean): void {
  const { text } = view;
  const { position } = reading;
  const mark = text.charAt(position);
  if (mark === "\\") {
    readEscaped({ view, push }, reading, isKey);
    return;
  }
  const triple = mark.repeat(3);
  const end = text.startsWith(triple, position) ? text.indexOf(triple, position + 3) : -1;
  if (end > 0) {
    const styled = repaired(reading, "quote_style", COST.notation);
    pushText(push, { ...styled, mark: triple, start: position + 3, isKey }, end, end + 3);
  }
  push(openString(reading, text, isKey));
  const isDoubled =
    text[position + 1] === mark && /[\p{L}\p{N}_$<(#@/-]/u.test(text.charAt(position + 2));
  if (isDoubled && isKey) {
    const extra = repaired(reading, "stray_text", COST.notation);
    push(openString({ ...extra, position: position + 1 }, text, isKey));
  }
  if (isDoubled)
    push({
      ...openString(repaired(reading, "quote_style", COST.notation), text, isKey),
      mark: mark + mark,
      start: position + 2,
      position: position + 2,
    });
}

/** Opens the string after the quote at the reading's position. */
export function openString(reading: Reading, text: string, isKey: boolean): Reading {
  const { position } = reading;
  const mark = text.charAt(position);
  const opened = mark === '"' ? reading : repaired(reading, "quote_style", COST.notation);
  return {
    ...opened,
    mode: "string",
    position: position + 1,
    start: position + 1,
    mark,
    inner: 0,
    isKey,
    before: undefined,
  };
}

// Text may be escaped once too often: `{\"a\": \"b\"}`. Its inner quotes have more backslashes.
function readEscaped(
  { view, push }: Pick<Grammar, "view" | "push">,
  reading: Reading,
  isKey: boolean,
): void {
  const { text } = view;
  const start = reading.position + 2;
  for (let at = start; ;) {
    const slash = text.indexOf("\\", at);
    if (slash < 0) {
      push({ ...reading, mode: "cut", position: text.length });
      return;
    }
    let end = slash;
    while (text[end] === "\\") end += 1;
    at = end + 1;
    if (text[end] !== '"' || end !== slash + 1) continue;
    const escaped = repaired(reading, "escaped_text", COST.notation);
    pushText(push, { ...escaped, start, mark: "\\", isKey, before: undefined }, slash, at);
    return;
  }
}
