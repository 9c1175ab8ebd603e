/**
 * A key that one object of a JSON text has twice: parsers keep the last, people read the first. The text must be valid
 * JSON; undefined if there is none.
 */
export function findRepeatedKey(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let isKeyNext = false;
  for (const token of tokens(json)) {
    const first = token[0];
    if (first === "{") {
      open.push(new Set());
      isKeyNext = true;
    } else if (first === "[") {
      open.push(undefined);
      isKeyNext = false;
    } else if (first === "}" || first === "]") {
      open.pop();
      isKeyNext = false;
    } else if (first === ",") isKeyNext = open.at(-1) !== undefined;
    else if (first === '"' && isKeyNext) {
      const key = String(JSON.parse(token));
      const keys = open.at(-1);
      if (keys?.has(key) === true) return key;
      keys?.add(key);
      isKeyNext = false;
    }
  }
  return undefined;
}

function* tokens(json: string): Generator<string> {
  let at = 0;
  while (at < json.length) {
    const character = json[at] ?? "";
    if (character === '"') {
      const end = stringEnd(json, at);
      yield json.slice(at, end);
      at = end;
    } else {
      if ("{}[],:".includes(character)) yield character;
      at += 1;
    }
  }
}

function stringEnd(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end > 0 && countBackslashes(json, end) % 2 === 1) end = json.indexOf('"', end + 1);
  return end < 0 ? json.length : end + 1;
}

function countBackslashes(json: string, before: number): number {
  let count = 0;
  while (json[before - 1 - count] === "\\") count += 1;
  return count;
}
