import { createAnalyzer } from "@ccl/search";

import type { Unit } from "../unit.ts";

/** What a question looks for in a content. */
export interface QueryTerms {
  /** In lower case, with what finding it is worth: rare terms more. */
  terms: readonly { text: string; isExact: boolean; worth: number }[];
  /** What all terms that occur are worth, and no less than a rare one. */
  total: number;
  /** The share of the question's terms that occur at all, identifiers counted twice. */
  coverage: number;
}

const maxTerms = 40;
const analyzer = createAnalyzer();

/** The words of a question, by their stems, and its identifiers as they were written, weighed by how few units have them. */
export function readQuery(query: string, texts: readonly string[]): QueryTerms {
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
  const terms = [...candidates].slice(0, maxTerms).flatMap(([text, isExact]) => {
    const found = texts.reduce((sum, unit) => sum + (hasTerm(unit, text) ? 1 : 0), 0);
    if (found === 0) return [];
    return [{ text, isExact, worth: Math.log1p(texts.length / found) * (isExact ? 2 : 1) }];
  });
  const sum = terms.reduce((all, { worth }) => all + worth, 0);
  const rankOf = (isExact: boolean): number => (isExact ? 2 : 1);
  const asked = [...candidates.values()].reduce((all, isExact) => all + rankOf(isExact), 0);
  const met = terms.reduce((all, { isExact }) => all + rankOf(isExact), 0);
  const coverage = asked === 0 ? 0 : met / asked;
  return { terms, total: Math.max(sum, Math.log1p(texts.length)), coverage };
}

/** Short numbers count where they stand alone; those of a date or a time say little. */
function isNumberAsked(query: string, stem: string): boolean {
  return /\d/.test(stem) && new RegExp(`(?:^|\\s)${stem}(?=[?!,;.]?(?:\\s|$))`).test(query);
}

/** How much of the question a text, in lower case, has: 0 to 1. */
export function matchQuery(text: string, { terms, total }: QueryTerms): number {
  if (total === 0) return 0;
  let worth = 0;
  for (const term of terms) if (hasTerm(text, term.text)) worth += term.worth;
  return worth / total;
}

/** Where the rarest term of the question stands in a text; -1 where none does. */
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

/** Short terms have to stand alone: `ms` is not in `items`. */
function hasTerm(text: string, term: string): boolean {
  let at = text.indexOf(term);
  if (term.length > 3) return at >= 0;
  for (; at >= 0; at = text.indexOf(term, at + 1)) {
    const isAlone =
      !isWordCharacter(text.charCodeAt(at - 1)) &&
      !isWordCharacter(text.charCodeAt(at + term.length));
    if (isAlone) return true;
  }
  return false;
}

function isWordCharacter(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 122) || code > 127;
}

/** Texts of units for `readQuery` and `matchQuery`. */
export function lowerTexts(units: readonly Unit[]): string[] {
  return units.map(({ text }) => text.toLowerCase());
}
