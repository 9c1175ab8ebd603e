import { estimatedCounter, type TokenCounter } from "@ccl/core";

import type { AliasMap } from "../catalog/catalog.ts";
import { CatalogError } from "../catalog-error.ts";
import { shareBudget } from "./share-budget.ts";
import { fillRows } from "./fill-rows.ts";
import type { RowInput } from "./overview-row.ts";

/** How rows are rendered. */
export interface RenderRowsOptions {
  /** Tokens of the text, a tenth of which is kept back under an estimate; all rows, with their fields, where absent. */
  budget?: number | undefined;
  /** An estimate where absent. */
  counter?: TokenCounter | undefined;
}

/** Rows as a prompt has them. */
export interface OverviewRows {
  text: string;
  tokens: number;
  /** In the order of the rows: those of one database stand together, where the best of them does. */
  overview: { id: string; alias: string }[];
  aliases: AliasMap;
  /** Resources without a row. */
  omitted: number;
}

/**
 * Overviews as rows under one header, in the rank order given; the same list gives the same bytes and aliases.
 * @throws CatalogError `budget_exceeded` where not even the header fits, `invalid_budget`
 */
export function renderOverviewRows(
  overviews: readonly RowInput[],
  options: RenderRowsOptions = {},
): OverviewRows {
  const { budget, counter = estimatedCounter } = options;
  const usable =
    budget === undefined ? Number.MAX_SAFE_INTEGER : shareBudget(budget, {}, counter).usable;
  const rows = fillRows(overviews, { counter, budget: usable });
  if (rows === undefined) {
    const message = `The header of an overview does not fit into ${budget} tokens; give it 40 or more.`;
    throw new CatalogError("budget_exceeded", message, { details: { budget } });
  }
  const { text, tokens, overview } = rows;
  return {
    text,
    tokens,
    overview,
    aliases: aliasMap(overview),
    omitted: overviews.length - overview.length,
  };
}

/** Ids by alias. */
export function aliasMap(overview: readonly { id: string; alias: string }[]): AliasMap {
  return Object.fromEntries(overview.map(({ id, alias }) => [alias, id]));
}
