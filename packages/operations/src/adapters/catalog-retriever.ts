import type { Retriever } from "../kinds/kind-options.ts";

/** The part of a `Catalog` of @ccl/catalog that the retriever uses. */
export interface SearchedCatalog<Principal> {
  search(query: {
    text: string;
    limit: number;
    principal?: Principal | undefined;
    signal?: AbortSignal | undefined;
  }): Promise<{ hits: readonly { id: string; score: number }[] }>;
  details(
    ids: readonly string[],
    query: { principal?: Principal | undefined; signal?: AbortSignal | undefined },
  ): Promise<{ items: readonly { id: string; title: string; uri?: string | undefined }[] }>;
}

/** Retrieves catalog cards as JSON. With a principal, returns only the cards that it may see. */
export function catalogRetriever<Principal>(
  catalog: SearchedCatalog<Principal>,
  { principal }: { principal?: Principal | undefined } = {},
): Retriever {
  return {
    async retrieve(query, { topK, signal }) {
      const { hits } = await catalog.search({ text: query, limit: topK, principal, signal });
      if (hits.length === 0) return [];
      const scores = new Map(hits.map(({ id, score }) => [id, score]));
      const { items } = await catalog.details([...scores.keys()], { principal, signal });
      return items.map((card) => ({
        id: card.id,
        title: card.title,
        source: card.uri ?? card.id,
        text: JSON.stringify(card),
        score: scores.get(card.id),
      }));
    },
  };
}
