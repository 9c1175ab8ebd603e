import { renderSignature, type Code } from "./code-card.ts";
import { describeItems } from "./describe-items.ts";

/** Describes which exported names were added or removed, and whose signature changed. */
export function describeCode(before: Code, after: Code): string[] {
  return describeItems(signaturesOf(before), signaturesOf(after), {
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

/**
 * Describes changed members of a class or interface, by name. Returns undefined if its head changed
 * or it has no members.
 */
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
 * Returns the lines between a declaration's brackets, keyed by the word before the parameters or
 * the type.
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

/** Returns signatures by name, with overloads joined. */
function signaturesOf({ items }: Code): [name: string, signature: string][] {
  const signatures = new Map<string, string>();
  for (const { exports, text } of items) {
    const key = exports.join(", ");
    const other = signatures.get(key);
    signatures.set(key, other === undefined ? text : `${other}; ${text}`);
  }
  return [...signatures];
}
