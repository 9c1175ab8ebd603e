import { renderSignature } from "../card/code-card.ts";
import { buildOutline } from "../outline/build/build-outline.ts";

/**
 * Describes which exported names were added or removed, and whose signature changed. Undefined if
 * one of the versions declares nothing.
 */
export async function describeCode(
  texts: { path: string; before: string; after: string },
  options: { signal?: AbortSignal | undefined } = {},
): Promise<string[] | undefined> {
  const before = await readSignatures(texts.path, texts.before, options);
  const after = await readSignatures(texts.path, texts.after, options);
  if (before === undefined || after === undefined) return undefined;
  const old = new Map(before.map((item) => [item.key, item.value]));
  const fresh = new Map(after.map((item) => [item.key, item.value]));
  const describeSignature = (name: string, was: string, now: string): string[] =>
    describeMembers(name, was, now) ?? [`signature changed: ${flat(was)} -> ${flat(now)}`];
  return [
    ...[...fresh]
      .filter(([name]) => !old.has(name))
      .map(([, signature]) => `export added: ${flat(signature)}`),
    ...[...old.keys()].filter((name) => !fresh.has(name)).map((name) => `export removed: ${name}`),
    ...[...fresh].flatMap(([name, signature]) => {
      const was = old.get(name);
      return was === undefined || was === signature ? [] : describeSignature(name, was, signature);
    }),
  ];
}

const flat = (text: string): string => renderSignature({ text });

/** Describes changed members of a class or interface, by name. Undefined if its head changed or it has no members. */
function describeMembers(name: string, before: string, after: string): string[] | undefined {
  const [old, fresh] = [readMembers(before), readMembers(after)];
  if (old === undefined || fresh === undefined || old.head !== fresh.head) return undefined;
  const changes = [
    ...[...fresh.members].flatMap(([key, text]) => {
      const was = old.members.get(key);
      if (was === undefined) return [`member added: ${text}`];
      return was === text ? [] : [`member changed: ${was} -> ${text}`];
    }),
    ...[...old.members.keys()]
      .filter((key) => !fresh.members.has(key))
      .map((key) => `member removed: ${key}`),
  ];
  return changes.map((each) => `${name}: ${each}`);
}

/**
 * The lines between a declaration's brackets, keyed by the word before the parameters or the type.
 */
function readMembers(text: string): { head: string; members: Map<string, string> } | undefined {
  const code = text.split("\n").filter((line) => !/^\s*(?:\/\/|#(?!\w))/.test(line));
  const [head = "", ...lines] = code;
  if (!/[{:]$/.test(head) || lines.length === 0) return undefined;
  const members = new Map<string, string>();
  for (const line of lines) {
    const member = line.trim();
    const key = /([\w$#]+|\[[^\]]*\])\s*(?:<[^(]*>)?[?!]?\s*[(:=,]/.exec(member)?.[1] ?? member;
    const known = members.get(key);
    if (member !== "}") members.set(key, known === undefined ? member : `${known}; ${member}`);
  }
  return { head, members };
}

/** Signatures by name, with overloads joined. */
async function readSignatures(
  path: string,
  text: string,
  options: { signal?: AbortSignal | undefined },
): Promise<{ key: string; value: string }[] | undefined> {
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
    signatures.set(key, other === undefined ? item.text : `${other}; ${item.text}`);
  }
  return signatures.size === 0
    ? undefined
    : [...signatures].map(([key, value]) => ({ key, value }));
}
