import type { JsonPath } from "../history/read-request.ts";

/** Where the string at a path is in a JSON text, including its quotes. */
export interface StringSpan {
  path: JsonPath;
  start: number;
  end: number;
}

/**
 * Finds the strings at the given paths in a valid JSON text. Returns them in text order. Runs in linear time. If a key
 * occurs twice, uses the last value, as parsers do. Omits paths that do not lead to a string.
 */
export function findStrings(text: string, paths: readonly JsonPath[]): StringSpan[] {
  const byKey = new Map(paths.map((path) => [JSON.stringify(path), path]));
  const spans = new Map<string, StringSpan>();
  /** Path to the current value. Contains null before the key of an object is known. */
  const place: (string | number | null)[] = [];
  const signs = /["{}[\],]/g;
  for (let found = signs.exec(text); found !== null; found = signs.exec(text)) {
    const { 0: sign, index: start } = found;
    const step = place.at(-1);
    if (sign === "{") place.push(null);
    else if (sign === "[") place.push(0);
    else if (sign === ",") place[place.length - 1] = typeof step === "number" ? step + 1 : null;
    else if (sign !== '"') place.pop();
    if (sign !== '"') continue;
    const end = endOfString(text, start);
    signs.lastIndex = end;
    if (step === null) place[place.length - 1] = JSON.parse(text.slice(start, end));
    else {
      const key = JSON.stringify(place);
      const path = byKey.get(key);
      spans.delete(key);
      if (path !== undefined) spans.set(key, { path, start, end });
    }
  }
  return [...spans.values()];
}

function endOfString(text: string, start: number): number {
  let end = start;
  let slashes: number;
  do {
    end = text.indexOf('"', end + 1);
    slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes += 1;
  } while (slashes % 2 === 1);
  return end + 1;
}
