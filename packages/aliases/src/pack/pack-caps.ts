import { aliasPrefix } from "../registry/alias-prefix.ts";
import type { RankedFile } from "../rank/rank-files.ts";

/**
 * Maximum tokens for all decisions (A) and for all option matrices (P). The other files share the
 * rest of the budget.
 */
const DEFAULT_CAPS: Record<string, number> = { A: 300, P: 200 };
/**
 * Prefixes of files whose prose or data a task follows but does not edit. They are shown as cards.
 */
const CARD_PREFIXES = new Set(["A", "P", "PR"]);

/** The tokens left for each prefix. */
export interface Caps {
  /** Spends tokens from the prefix's cap. Returns false and spends nothing if too few are left. */
  spend(alias: string, tokens: number): boolean;
}

/** Creates caps by alias prefix. The given caps override the defaults. */
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
