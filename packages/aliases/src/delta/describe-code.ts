import { renderSignature } from "../card/code-card.ts";
import { buildOutline } from "../outline/build-outline.ts";
import type { NamedItem } from "./describe-list.ts";

/** Says which exported names were added or removed and whose signature changed; undefined where one of the texts declares nothing. */
export async function describeCode(
  texts: { path: string; before: string; after: string },
  options: { signal?: AbortSignal | undefined } = {},
): Promise<string[] | undefined> {
  const before = await readSignatures(texts.path, texts.before, options);
  const after = await readSignatures(texts.path, texts.after, options);
  if (before === undefined || after === undefined) return undefined;
  const old = new Map(before.map((item) => [item.key, item.value]));
  const fresh = new Map(after.map((item) => [item.key, item.value]));
  return [
    ...[...fresh]
      .filter(([name]) => !old.has(name))
      .map(([, signature]) => `export added: ${signature}`),
    ...[...old.keys()].filter((name) => !fresh.has(name)).map((name) => `export removed: ${name}`),
    ...[...fresh].flatMap(([name, signature]) => {
      const was = old.get(name);
      return was === undefined || was === signature
        ? []
        : [`signature changed: ${was} -> ${signature}`];
    }),
  ];
}

/** By name, overloads joined. */
async function readSignatures(
  path: string,
  text: string,
  options: { signal?: AbortSignal | undefined },
): Promise<NamedItem[] | undefined> {
  const { language, items } = await buildOutline(
    { path, text },
    { depth: "signatures", ...options },
  );
  if (language === undefined || ["markdown", "json", "yaml"].includes(language)) return undefined;
  const signatures = new Map<string, string>();
  for (const item of items) {
    if (item.exports.length === 0) continue;
    const key = item.exports.join(", ");
    const other = signatures.get(key);
    signatures.set(
      key,
      other === undefined ? renderSignature(item) : `${other}; ${renderSignature(item)}`,
    );
  }
  return signatures.size === 0
    ? undefined
    : [...signatures].map(([key, value]) => ({ key, value }));
}
