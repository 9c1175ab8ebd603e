import type { Catalog } from "../catalog/catalog.ts";
import type { DetailsCard } from "../budget/details-card.ts";
import type { Principal } from "../access/access-options.ts";
import { hashResource } from "../record/hash-resource.ts";
import type { SeenOverview } from "../access/present-record.ts";
import type { ResourceDetails } from "../record/resource-record.ts";

/** The part of a catalog that verification needs. */
export type VerifiableCatalog = Pick<Catalog, "overview" | "details">;

/** A resource with its complete card. */
export interface WholeCard {
  overview: SeenOverview;
  /** The overview merged with the card. Undefined if the principal may not see the card. */
  details: ResourceDetails | undefined;
  /** False if the principal does not see all columns. */
  isWhole: boolean;
}

const pageSize = 500;
const cardsAtOnce = 50;
const limits = { columnLimit: 10_000, snippetLimit: 100 };

/** Reads every resource in a catalog with all its columns and snippets, ordered by id. */
export async function readCards(
  catalog: VerifiableCatalog,
  { principal, signal }: { principal: Principal | undefined; signal: AbortSignal },
): Promise<WholeCard[]> {
  const ask = { signal, principal };
  const cards: WholeCard[] = [];
  for (let page = 1, hasNext = true; hasNext; page += 1) {
    const { items, pageInfo } = await catalog.overview({ ...ask, page, pageSize });
    for (let from = 0; from < items.length; from += cardsAtOnce) {
      const rows = items.slice(from, from + cardsAtOnce);
      const answer = await catalog.details(
        rows.map(({ id }) => id),
        { ...ask, ...limits },
      );
      const byId = new Map(answer.items.map((card) => [card.id, card]));
      for (const overview of rows)
        cards.push(await wholeCard({ catalog, ask, overview }, byId.get(overview.id)));
    }
    hasNext = pageInfo.hasNext && items.length > 0;
  }
  return cards;
}

interface Reading {
  catalog: VerifiableCatalog;
  ask: { signal: AbortSignal; principal?: Principal | undefined };
  overview: SeenOverview;
}

async function wholeCard(
  { catalog, ask, overview }: Reading,
  first: DetailsCard | undefined,
): Promise<WholeCard> {
  if (first === undefined) return { overview, details: undefined, isWhole: false };
  const columns = [...(first.columns ?? [])];
  const snippets = [...(first.usage?.snippets ?? [])];
  for (let { next } = first; next !== undefined;) {
    const { items } = await catalog.details([overview.id], { ...ask, ...limits, cursor: next });
    columns.push(...(items[0]?.columns ?? []));
    snippets.push(...(items[0]?.usage?.snippets ?? []));
    next = items[0]?.next;
  }
  const { truncated: _, total: __, next: ___, stale_digest: ____, ...card } = first;
  const details: ResourceDetails = { ...overview, ...card };
  if (first.columns !== undefined) details.columns = columns;
  if (first.usage?.snippets !== undefined) details.usage = { ...first.usage, snippets };
  // The hash covers all columns, including hidden ones.
  return { overview, details, isWhole: hashResource(details).schema_hash === overview.schema_hash };
}
