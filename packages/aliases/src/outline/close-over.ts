import type { Declaration } from "./declaration.ts";

const WORD = /(typeof\s+)?([\p{L}_$][\p{L}\p{N}_$]*)/gu;
const TYPES = /\b(?:class|interface|type|enum|struct|trait|union|record)$/;
const STRINGS = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;

/**
 * Adds the hidden types that the shown signatures refer to, directly or through other types, so
 * that readers see every type. Adds a value only if `typeof` refers to it. The added declarations
 * export nothing.
 */
export function closeOver(
  shown: readonly Declaration[],
  hidden: readonly Declaration[],
): Declaration[] {
  const types = new Map<string, Declaration[]>();
  const values = new Map<string, Declaration[]>();
  for (const declaration of hidden) {
    const known = TYPES.test(declaration.kind) ? types : values;
    known.set(declaration.name, [...(known.get(declaration.name) ?? []), declaration]);
  }
  if (types.size === 0 && values.size === 0) return [...shown];
  const added = new Set<Declaration>();
  const pending = [...shown];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const { isQueried, name } of wordsOf(next)) {
      const named = [...(types.get(name) ?? []), ...(isQueried ? (values.get(name) ?? []) : [])];
      const fresh = named.filter((declaration) => !added.has(declaration));
      for (const declaration of fresh) added.add(declaration);
      pending.push(...fresh);
    }
  }
  const local = [...added].map((declaration) => ({ ...declaration, exports: [] }));
  return [...shown, ...local].sort((a, b) => a.firstLine - b.firstLine);
}

function wordsOf({ signature, members = [] }: Declaration): { isQueried: boolean; name: string }[] {
  return [signature, ...members.map(({ text }) => text)].flatMap((text) =>
    [...text.replace(STRINGS, "").matchAll(WORD)].map(([, queried, name = ""]) => ({
      isQueried: queried !== undefined,
      name,
    })),
  );
}
