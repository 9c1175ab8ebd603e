import { estimatedCounter, type TokenCounter } from "@ccl/core";

import { unwrapText } from "./json/find-json.ts";
import { identify } from "./kinds/identify.ts";
import { layoutOf } from "./kinds/layout-of.ts";
import { selectUnits } from "./select-units.ts";
import { type Layout, listUnits } from "./unit.ts";
import { joinUnits } from "./weigh/joined-units.ts";
import { matchQuery } from "./weigh/match-query.ts";
import { inheritFromHeads, withContext } from "./weigh/weigh-units.ts";

/** What is looked for, and how much is shown of it. */
export interface SearchContentOptions {
  /** Words and identifiers; lines with rarer ones come first. */
  query: string;
  /** Lines that match are found in place of those with words of the query, e.g. a `RegExp`. */
  pattern?: { test(text: string): boolean } | undefined;
  /** Lines around a hit, 3 where absent; a row of a table is always shown as a whole. */
  around?: number | undefined;
  /** Tokens; 400 where absent. */
  budget?: number | undefined;
  /** `estimatedCounter` where absent. */
  counter?: TokenCounter | undefined;
  /** The number of the first line where the content is a piece of a longer one; 1 where absent. */
  firstLine?: number | undefined;
}

/** What was found in a content. */
export interface ContentHits {
  /** Hits in the order of the content, with the numbers of their lines or rows; says how many there are in its first line. */
  text: string;
  tokens: number;
  /** Lines or rows that match. */
  found: number;
  /** How much of the query the best of them has, 0 to 1; comparable between contents. */
  score: number;
}

/**
 * Lines of a text, or rows of its JSON or table, that have the words of a query or match a pattern, the best first as far as
 * the budget goes, with their headings and what stands around them. Linear in the content.
 */
export function searchContent(content: string, options: SearchContentOptions): ContentHits {
  const { around = 3, budget = 400, counter = estimatedCounter, firstLine = 1, pattern } = options;
  const text = unwrapText(content);
  const { kind, json } = identify(text);
  const layout = numbered(layoutOf(text, kind, { json, firstLine }), around);
  const { units } = layout;
  const { query, matches } = matchQuery(options.query, units, joinUnits(units));
  const scores =
    pattern === undefined
      ? matches
      : Float64Array.from(listUnits(units), ({ text: own }) => Number(pattern.test(own)));
  const best = scores.reduce((max, score) => Math.max(max, score), 0);
  const hits = scores.map((score) => (score >= goodShare * best ? score : 0));
  const found = hits.filter((hit) => hit > 0).length;
  if (found === 0) return { text: "", tokens: 0, found, score: 0 };
  inheritFromHeads(hits, units);
  const weights = withContext(hits, layout, {
    counts: new Map(),
    alike: new Uint8Array(),
  });
  const title = found === 1 ? "[1 match]" : `[${found} ${layout.noun} match]`;
  const weighed = { weights, query, counts: new Map<number, number>() };
  const wanted = Math.min(6, found + 1);
  const selection = selectUnits(layout, weighed, { budget, counter, title, wanted });
  const score = pattern === undefined ? best * query.coverage : best;
  return { text: selection.text, tokens: selection.tokens, found, score };
}

/** A hit has no less than this share of the score of the best one. */
const goodShare = 0.4;

/** Numbers in front of all that is shown. */
function numbered(layout: Layout, around: number): Layout {
  const context = layout.noun === "rows" ? 0 : around;
  return { ...layout, style: "numbered", context, hasForms: false, briefOf: undefined };
}
