import { redactSecrets } from "@ccl/core";

// The shortest secret to search for is the user and password of a URL.
const shortestToken = 8;

/** Masks provider keys, tokens and private keys. Keeps `password: swordfish`, since it may be part of a story. */
function maskTokens(text: string): string {
  return redactSecrets(text, isToken).text;
}

/** Masks each string in a JSON value, including keys. Returns the value itself if nothing was masked. */
export function maskTokensDeep(value: unknown): unknown {
  return holdsToken(value) ? mapTexts(value, maskTokens) : value;
}

/** True if a string in a JSON value looks like a provider key, a token or a private key. */
export function holdsToken(value: unknown): boolean {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") {
      if (next.length >= shortestToken && redactSecrets(next, isToken).findings.length > 0)
        return true;
    } else if (typeof next === "object" && next !== null) {
      const items: unknown[] = Array.isArray(next) ? next : Object.entries(next).flat();
      for (const item of items) waiting.push(item);
    }
  }
  return false;
}

function isToken({ kind }: { kind: string }): boolean {
  return kind !== "secret_value";
}

/** Maps each string in a JSON value. Keys are mapped too, by a separate function if given. */
export function mapTexts(
  value: unknown,
  replace: (text: string) => string,
  replaceKey: (key: string) => string = replace,
): unknown {
  if (typeof value === "string") return replace(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, replace, replaceKey));
  if (typeof value !== "object" || value === null) return value;
  const mapped = new Map<string, unknown>();
  for (const [key, item] of Object.entries(value)) {
    const name = replaceKey(key);
    let free = name;
    // Two keys may be masked by the same text.
    for (let count = 2; mapped.has(free); count += 1) free = `${name} ${count}`;
    mapped.set(free, mapTexts(item, replace, replaceKey));
  }
  return Object.fromEntries(mapped);
}
