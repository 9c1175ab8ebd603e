import { renderSignature } from "../card/code-card.ts";
import { buildOutline } from "../outline/build/build-outline.ts";
import { describeItems } from "./describe-items.ts";

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
  return describeItems(before, after, {
    key: ([name]) => name,
    added: ([, signature]) => `export added: ${flat(signature)}`,
    removed: ([name]) => `export removed: ${name}`,
    changed: ([name, was], [, now]) =>
      was === now
        ? []
        : (describeMembers(name, was, now) ?? [`signature changed: ${flat(was)} -> ${flat(now)}`]),
  });
}

const flat = (text: string): string => renderSignature({ text });

/** Describes changed members of a class or interface, by name. Undefined if its head changed or it has no members. */
function describeMembers(name: string, before: string, after: string): string[] | undefined {
  const [old, fresh] = [readMembers(before), readMembers(after)];
  if (old === undefined || fresh === undefined || old.head !== fresh.head) return undefined;
  return describeItems([...old.members], [...fresh.members], {
    key: ([key]) => key,
    added: ([, text]) => `${name}: member added: ${text}`,
    removed: ([key]) => `${name}: member removed: ${key}`,
    changed: ([, was], [, text]) =>
      was === text ? [] : [`${name}: member changed: ${was} -> ${text}`],
  });
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
): Promise<[name: string, signature: string][] | undefined> {
  const { language, items } = await buildOutline({ path, text }, options);
  if (language === undefined || ["markdown", "json", "yaml"].includes(language)) return undefined;
  const signatures = new Map<string, string>();
  for (const item of items) {
    if (item.exports.length === 0) continue;
    const key = item.exports.join(", ");
    const other = signatures.get(key);
    signatures.set(key, other === undefined ? item.text : `${other}; ${item.text}`);
  }
  return signatures.size === 0 ? undefined : [...signatures];
}
