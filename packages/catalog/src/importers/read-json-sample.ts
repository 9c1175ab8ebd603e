import { isRecord } from "@ccl/core/json";

/** The first values in a JSON document. */
export interface JsonSample {
  /** Rows of the list, or the document's single value. */
  values: unknown[];
  /** The field that contains the rows. Undefined if the document itself is the list. */
  member?: string | undefined;
  /** True if all rows were read. */
  isWhole: boolean;
  /** Length of the text that was read. Used to estimate the number of rows. */
  readChars: number;
}

/**
 * Reads rows from a list at the root, or from the longest list of objects in a root object. A truncated document
 * must be a list. Returns undefined if the text is not JSON.
 */
export function readJsonSample(
  text: string,
  { isCut, maxRows }: { isCut: boolean; maxRows: number },
): JsonSample | undefined {
  const start = text.search(/[^\s\uFEFF]/);
  if (text[start] === "[") return readList(text, start, { isCut, maxRows });
  if (isCut) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
  const lists = isRecord(value) ? Object.entries(value).filter(isListOfObjects) : [];
  const [longest] = lists.sort(([, left], [, right]) => right.length - left.length);
  const whole = { isWhole: true, readChars: text.length };
  if (longest === undefined || longest[1].length < 2) return { values: [value], ...whole };
  return {
    values: longest[1].slice(0, maxRows),
    member: longest[0],
    ...whole,
    isWhole: longest[1].length <= maxRows,
  };
}

function isListOfObjects(entry: [string, unknown]): entry is [string, unknown[]] {
  return Array.isArray(entry[1]) && entry[1].length > 0 && isRecord(entry[1][0]);
}

/** Reads one JSON value per line. Ignores a truncated last line. Returns undefined if any other line is not JSON. */
export function readJsonLines(
  text: string,
  { isCut, maxRows }: { isCut: boolean; maxRows: number },
): JsonSample | undefined {
  const values: unknown[] = [];
  let at = 0;
  while (at < text.length && values.length < maxRows) {
    const end = text.indexOf("\n", at);
    const isLast = end < 0;
    if (isLast && isCut) break;
    const line = text
      .slice(at, isLast ? text.length : end)
      .trim()
      .replace(/^\uFEFF/, "");
    at = isLast ? text.length : end + 1;
    if (line === "") continue;
    try {
      values.push(JSON.parse(line));
    } catch {
      return undefined;
    }
  }
  return { values, isWhole: !isCut && at >= text.length, readChars: at };
}

/** Reads a list's elements one by one. Finds them by bracket depth, so the document may be truncated. */
function readList(
  text: string,
  start: number,
  { isCut, maxRows }: { isCut: boolean; maxRows: number },
): JsonSample | undefined {
  const values: unknown[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
    } else if (character === "[" || character === "{") {
      depth += 1;
    } else if (character === "," && depth === 0) {
      if (!pushValue(values, text.slice(from, at))) return undefined;
      from = at + 1;
      if (values.length >= maxRows) return { values, isWhole: false, readChars: at };
    } else if (character === "]" || character === "}") {
      if (depth > 0) depth -= 1;
      else return closeList(values, text, { from, at });
    }
  }
  return isCut ? { values, isWhole: false, readChars: from } : undefined;
}

function closeList(
  values: unknown[],
  text: string,
  { from, at }: { from: number; at: number },
): JsonSample | undefined {
  const last = text.slice(from, at);
  const isEmpty = values.length === 0 && last.trim() === "";
  if (
    text[at] !== "]" ||
    text.slice(at + 1).trim() !== "" ||
    (!isEmpty && !pushValue(values, last))
  )
    return undefined;
  return { values, isWhole: true, readChars: at };
}

function pushValue(values: unknown[], text: string): boolean {
  try {
    values.push(JSON.parse(text));
    return true;
  } catch {
    return false;
  }
}

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}
