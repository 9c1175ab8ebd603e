import { redactSecrets } from "@ccl/core";

// The user and the password of an address are the shortest that is looked for.
const shortestToken = 8;

/** A text with provider keys, tokens and private keys masked. Pairs such as `password: swordfish` stay: they may be part of a story. */
function maskTokens(text: string): string {
  const findings = redactSecrets(text).findings.filter(isToken);
  if (findings.length === 0) return text;
  const parts: string[] = [];
  let copied = 0;
  for (const { kind, start, end } of findings) {
    parts.push(text.slice(copied, start), `[redacted:${kind}]`);
    copied = end;
  }
  return parts.join("") + text.slice(copied);
}

/** JSON with the same masking in each of its texts, keys included; the very value where nothing is masked. */
export function maskTokensDeep(value: unknown): unknown {
  return holdsToken(value) ? mapTexts(value, maskTokens) : value;
}

/** True where a text inside a JSON value looks like a provider key, a token or a private key. */
export function holdsToken(value: unknown): boolean {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") {
      if (next.length >= shortestToken && redactSecrets(next).findings.some(isToken)) return true;
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

/** JSON with each text replaced; keys, too, unless there is another function for them. */
export function mapTexts(
  value: unknown,
  replace: (text: string) => string,
  replaceKey: (key: string) => string = replace,
): unknown {
  if (typeof value === "string") return replace(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, replace, replaceKey));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      replaceKey(key),
      mapTexts(item, replace, replaceKey),
    ]),
  );
}
