import { aliasPrefix } from "../registry/alias-prefix.ts";
import type { RankedFile } from "../rank/rank-files.ts";

/** What all decisions and all option matrices may take, in tokens; the rest share the budget. */
const DEFAULT_CAPS: Record<string, number> = { A: 300, P: 200 };
/** Written as prose or data to be followed, not edited by a task: shown as cards. */
const CARD_PREFIXES = new Set(["A", "P", "PR"]);

/** What is left for the files of a prefix. */
export interface Caps {
  /** False, and nothing is spent, where the prefix has a cap and too little of it is left. */
  spend(alias: string, tokens: number): boolean;
}

/** Caps by alias prefix, over the defaults. */
export function createCaps(caps: Record<string, number> = {}): Caps {
  const left = new Map(Object.entries({ ...DEFAULT_CAPS, ...caps }));
  return {
    spend(alias, tokens) {
      const prefix = aliasPrefix(alias);
      const own = left.get(prefix);
      if (own === undefined) return true;
      if (tokens > own) return false;
      left.set(prefix, own - tokens);
      return true;
    },
  };
}

/** True for decisions, option matrices and profiles. */
export function isCardKind({ file }: { file: Pick<RankedFile, "alias"> }): boolean {
  return CARD_PREFIXES.has(aliasPrefix(file.alias));
}
