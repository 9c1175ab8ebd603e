/**
 * Finds a key that one object of a JSON text has twice: parsers keep the last value, people read the first. The text
 * must be valid JSON. Undefined if there is none.
 */
export function findRepeatedKey(json: string): string | undefined {
  const objects: Set<string>[] = [];
  let string = "";
  let start: number | undefined;
  for (const { 0: sign, index } of json.matchAll(/\\.|["{}:]/gs)) {
    if (sign === '"') {
      if (start !== undefined) string = json.slice(start, index + 1);
      start = start === undefined ? index : undefined;
    } else if (start !== undefined) continue;
    else if (sign === "{") objects.push(new Set());
    else if (sign === "}") objects.pop();
    else {
      // A string before a colon is a key of the innermost open object.
      const key = String(JSON.parse(string));
      if (objects.at(-1)?.has(key) === true) return key;
      objects.at(-1)?.add(key);
    }
  }
  return undefined;
}
