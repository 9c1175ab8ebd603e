import { estimatedCounter, type TokenCounter } from "@ccl/core";

import { unwrapText } from "./json/find-json.ts";
import { identify } from "./kinds/identify.ts";
import { layoutOf } from "./kinds/layout-of.ts";
import { selectUnits } from "./select-units.ts";
import { type Layout, listUnits } from "./unit.ts";
import { joinUnits } from "./weigh/joined-units.ts";
import { matchQuery } from "./weigh/match-query.ts";
import { inheritFromHeads, withContext } from "./weigh/weigh-units.ts";

/** Options of `searchContent`. */
export interface SearchContentOptions {
  /** Words and identifiers to find. Lines with rarer ones come first. */
  query: string;
  /**
   * Finds lines that match a pattern, such as a `RegExp`, instead of lines with words of the query.
   */
  pattern?: { test(text: string): boolean } | undefined;
  /** Number of lines shown around a hit. 3 by default. A row of a table is always shown whole. */
  around?: number | undefined;
  /** Token limit. 400 by default. */
  budget?: number | undefined;
  /** Counts tokens. `estimatedCounter` by default. */
  counter?: TokenCounter | undefined;
  /** The number of the first line if the content is part of a longer one. 1 by default. */
  firstLine?: number | undefined;
}

/** The result of a search. */
export interface ContentHits {
  /**
   * Hits in the order of the content, with the numbers of their lines or rows. The first line
   * states the number of hits.
   */
  text: string;
  tokens: number;
  /** Number of lines or rows that match. */
  found: number;
  /**
   * Share of the query that the best hit contains, 0..1. Comparable between searches of different
   * content.
   */
  score: number;
}

/**
 * Finds lines of text, or rows of JSON or a table, that contain words of a query or match a
 * pattern. Shows the best ones that fit the budget, with their headings and context. Takes time
 * linear in the content.
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
      : Float64Array.from(listUnits(units), ({ text: unitText }) => Number(pattern.test(unitText)));
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

/** Minimum share of the best hit's score that another hit needs. */
const goodShare = 0.4;

/** Copies a layout and numbers every shown line. */
function numbered(layout: Layout, around: number): Layout {
  const context = layout.noun === "rows" ? 0 : around;
  return { ...layout, style: "numbered", context, hasForms: false, briefOf: undefined };
}
