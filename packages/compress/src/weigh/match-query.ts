import { createAnalyzer } from "@ccl/search";

import type { JoinedTexts, Units } from "../unit.ts";
import { inLowerCase, unitsWith } from "./joined-units.ts";

/** The terms of a question that occur in the content. */
export interface QueryTerms {
  /** Terms in lower case, with the weight of finding each. Rare terms have a higher weight. */
  terms: readonly { text: string; isExact: boolean; worth: number }[];
  /** Share of the question's terms that occur at all. Identifiers count twice. */
  coverage: number;
}

const maxTerms = 40;
const analyzer = createAnalyzer();

/** The terms of a question, and how much of it each unit contains, 0..1. */
interface QueryMatches {
  query: QueryTerms;
  matches: Float64Array;
}

/**
 * Matches the stems of a question's words, and its identifiers as written. Terms that few units
 * contain weigh more.
 */
export function matchQuery(question: string, units: Units, joined: JoinedTexts): QueryMatches {
  const matches = new Float64Array(units.length);
  const candidates = candidatesOf(question);
  const lower = candidates.size === 0 ? joined : inLowerCase(joined, units);
  const terms = [...candidates].slice(0, maxTerms).flatMap(([text, isExact]) => {
    const found = unitsWith(lower, (from) => termAt(lower.text, text, from));
    if (found.length === 0) return [];
    const worth = Math.log1p(units.length / found.length) * (isExact ? 2 : 1);
    for (const at of found) matches[at] = (matches[at] ?? 0) + worth;
    return [{ text, isExact, worth }];
  });
  const sum = terms.reduce((all, { worth }) => all + worth, 0);
  const total = Math.max(sum, Math.log1p(units.length));
  if (terms.length > 0)
    for (let at = 0; at < matches.length; at += 1) matches[at] = (matches[at] ?? 0) / total;
  const rankOf = (isExact: boolean): number => (isExact ? 2 : 1);
  const askedRank = [...candidates.values()].reduce((all, isExact) => all + rankOf(isExact), 0);
  const foundRank = terms.reduce((all, { isExact }) => all + rankOf(isExact), 0);
  return { query: { terms, coverage: askedRank === 0 ? 0 : foundRank / askedRank }, matches };
}

function candidatesOf(query: string): Map<string, boolean> {
  const candidates = new Map<string, boolean>();
  for (const word of query.toLowerCase().split(/[\s,;!?()'"`]+/)) {
    const name = word.replace(/^[.:#<[{]+|[.:>\]}]+$/g, "");
    if (name.length >= 3 && /[\d_./@#:-]/.test(name)) candidates.set(name, true);
  }
  const stems = analyzer
    .queryWords(query)
    .flatMap(({ alternatives }) => alternatives.filter(({ weight }) => weight >= 1))
    .flatMap((alternative) => alternative.terms);
  for (const stem of stems)
    if (!candidates.has(stem) && (!/^.$|^\d\d$/.test(stem) || isNumberAsked(query, stem)))
      candidates.set(stem, false);
  return candidates;
}

/** True if the number stands alone in the question. Numbers within a date or time do not count. */
function isNumberAsked(query: string, stem: string): boolean {
  return /\d/.test(stem) && new RegExp(`(?:^|\\s)${stem}(?=[?!,;.]?(?:\\s|$))`).test(query);
}

/** Returns the offset in the text of the rarest term of the question. -1 if none occurs. */
export function queryAt(text: string, { terms }: QueryTerms): number {
  const lower = text.toLowerCase();
  let best = -1;
  let bestWorth = 0;
  for (const { text: term, worth } of terms) {
    if (worth <= bestWorth) continue;
    const at = lower.indexOf(term);
    if (at >= 0) [best, bestWorth] = [at, worth];
  }
  return best;
}

/**
 * Returns the offset of a term at or after `from`, or -1. Short terms must be whole words: `ms` is
 * not found in `items`.
 */
function termAt(text: string, term: string, from: number): number {
  let at = text.indexOf(term, from);
  if (term.length > 3) return at;
  for (; at >= 0; at = text.indexOf(term, at + 1)) {
    const isAlone =
      !isWordCharacter(text.charCodeAt(at - 1)) &&
      !isWordCharacter(text.charCodeAt(at + term.length));
    if (isAlone) return at;
  }
  return -1;
}

function isWordCharacter(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 122) || code > 127;
}
