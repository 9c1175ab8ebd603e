import type { FacetFilter } from "@ccl/catalog";
import type { CatalogSnapshot } from "@ccl/catalog/snapshot";
import type { InspectorSource } from "@ccl/inspector";

import {
  catalogFolder,
  openSnapshot,
  readCatalog,
  type ReadCatalog,
} from "../catalog/read-catalog.ts";
import { CliError } from "../cli-error.ts";
import { catalogShow } from "../commands/catalog-show.ts";
import { openQueryableCatalog } from "../query/query-catalog.ts";
import type { Session } from "../session.ts";

type CatalogViews = Pick<InspectorSource, "catalog" | "resource" | "query">;

const freshMs = 5_000;
const maxHits = 200;
const maxRows = 1_000;
const queryTimeoutMs = 30_000;

/** The project's catalog, read again when it is older than a few seconds. */
export function catalogViews(session: Session): Required<CatalogViews> {
  let opened: { read: ReadCatalog; snapshot: CatalogSnapshot; atMs: number } | undefined;
  const open = async (): Promise<{ read: ReadCatalog; snapshot: CatalogSnapshot }> => {
    if (opened === undefined || performance.now() - opened.atMs > freshMs) {
      const read = await readCatalog(session);
      opened = { read, snapshot: openSnapshot(read), atMs: performance.now() };
    }
    return opened;
  };
  return {
    async catalog({ text = "", ...given }, { signal }) {
      const { read, snapshot } = await open();
      const facets = facetsIn(given);
      const found = await snapshot.search({ text, limit: maxHits, facets, signal });
      const { records } = read.content;
      const byId = new Map(records.map(({ record }) => [record.id, record]));
      return {
        total: records.length,
        unmatched: found.unmatchedTerms,
        hits: found.hits.flatMap(({ id, score }) => {
          const record = byId.get(id);
          if (record === undefined) return [];
          const { kind, title, schema_digest: fields } = record;
          return [{ id, kind, title, fields, score: text === "" ? undefined : score }];
        }),
        facets: Object.entries(found.facetCounts).flatMap(([name, values]) =>
          values.length === 0 ? [] : [{ name, values }],
        ),
      };
    },
    async resource({ id = "" }, { signal }) {
      const { read } = await open();
      // The command would look for near ones, and save the index that it makes for that.
      if (!read.content.records.some(({ record }) => record.id === id))
        throw new CliError("usage", `The catalog has no resource ${JSON.stringify(id)}.`);
      return (await catalogShow({ ...session, signal }, id)).view;
    },
    async query({ sql, plan, explain }, { signal }) {
      const { read } = await open();
      const place = { root: session.root, env: session.terminal.env };
      const catalog = await openQueryableCatalog(place, read, { signal });
      const limits = { rows: maxRows, timeoutMs: queryTimeoutMs };
      try {
        const asked = { sql: plan === undefined ? (sql ?? "") : undefined, plan, limits, signal };
        const { ranOn, text } = await catalog.explain(asked);
        if (explain !== undefined) return { plan: text, ranOn, columns: [], rows: [] };
        const answer = await catalog.run(asked);
        return { ...answer, plan: text };
      } finally {
        await catalog.close();
      }
    },
  };
}

/** Parameters `facet.kind=table`. */
function facetsIn(parameters: Readonly<Record<string, string | undefined>>): FacetFilter {
  const facets: FacetFilter = {};
  for (const [name, value] of Object.entries(parameters))
    if (name.startsWith("facet.") && value !== undefined)
      facets[name.slice("facet.".length)] = value;
  return facets;
}

/** True where the project has a catalog. */
export function hasCatalog(session: Session): boolean {
  return catalogFolder(session).exists();
}
