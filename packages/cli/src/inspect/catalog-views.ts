import type { FacetFilter } from "@ccl/catalog";
import type { CatalogSnapshot } from "@ccl/catalog/snapshot";
import type { VerifyReport } from "@ccl/catalog/verify";
import type { InspectorSource, VerifyView } from "@ccl/inspector";

import { openSnapshot, readCatalog, type ReadCatalog } from "../catalog/read-catalog.ts";
import { usageError } from "../cli-error.ts";
import { changesSince } from "../commands/catalog-diff.ts";
import { catalogShow } from "../commands/catalog-show.ts";
import { catalogVerify } from "../commands/catalog-verify.ts";
import { openQueryableCatalog } from "../catalog/query-catalog.ts";
import type { Session } from "../session.ts";
import { healthOf, problemsById } from "./catalog-health.ts";

type CatalogViews = Pick<InspectorSource, "catalog" | "resource" | "verify" | "changes" | "query">;

const freshMs = 5_000;
const maxHits = 200;
const maxMatches = 1_000;
const maxRows = 1_000;
const queryTimeoutMs = 30_000;

/** Creates the views of the project's catalog. Reads it again after a few seconds. */
export function catalogViews(session: Session): Required<CatalogViews> {
  let opened: { read: ReadCatalog; snapshot: CatalogSnapshot; atMs: number } | undefined;
  let verified: { report: VerifyReport; timeMs: number } | undefined;
  const open = async (): Promise<{ read: ReadCatalog; snapshot: CatalogSnapshot }> => {
    if (opened === undefined || performance.now() - opened.atMs > freshMs) {
      const read = await readCatalog(session, opened?.read.folder);
      const isSame = opened?.read.content === read.content;
      const snapshot = isSame && opened !== undefined ? opened.snapshot : openSnapshot(read);
      opened = { read, snapshot, atMs: performance.now() };
    }
    return opened;
  };
  return {
    async catalog({ text = "", health, ...given }, { signal }) {
      const { read, snapshot } = await open();
      const { records } = read;
      const now = { report: verified?.report, nowMs: Date.now() };
      const problems = problemsById(records, now);
      const facets = facetsIn(given);
      const found = await snapshot.search({ text, limit: maxMatches, facets, signal });
      const byId = new Map(records.map((record) => [record.id, record]));
      const isListed = health !== undefined && text === "" && Object.keys(facets).length === 0;
      const ids = isListed ? [...byId.keys()] : found.hits.map(({ id }) => id);
      const hits = ids.flatMap((id) => {
        const record = byId.get(id);
        const doubts = problems.get(id) ?? new Set<string>();
        if (record === undefined || (health !== undefined && !doubts.has(health))) return [];
        const { kind, title, schema_digest: fields } = record;
        return [{ id, kind, title, fields, problems: [...doubts] }];
      });
      return {
        total: records.length,
        unmatched: found.unmatchedTerms,
        hits: hits.slice(0, maxHits),
        facets: found.facetCounts,
        health: healthOf(problems, verified !== undefined),
      };
    },
    async resource({ id = "" }, { signal }) {
      const { read } = await open();
      // The command itself would search for similar names and save the search index.
      if (!read.records.some((record) => record.id === id))
        throw usageError(`The catalog has no resource ${JSON.stringify(id)}.`);
      return (await catalogShow({ ...session, signal }, id, read)).view;
    },
    async verify({ run }, { signal }) {
      // Only reads: without `--update` nothing is written.
      if (run !== undefined) {
        const { document: report } = await catalogVerify({ ...session, signal }, {});
        verified = { report, timeMs: Date.now() };
      }
      return verifyView(verified);
    },
    async changes({ since }, { signal }) {
      const { records } = (await open()).read;
      return changesSince({ ...session, signal }, records, since);
    },
    async query({ sql, plan, explain }, { signal }) {
      const { read } = await open();
      const catalog = await openQueryableCatalog({ ...session, signal }, read);
      const limits = { rows: maxRows, timeoutMs: queryTimeoutMs };
      try {
        const query = { sql: plan === undefined ? (sql ?? "") : undefined, plan, limits, signal };
        const { ranOn, text, diagram } = await catalog.explain(query);
        if (explain !== undefined) return { plan: text, ranOn, diagram, columns: [], rows: [] };
        const answer = await catalog.run(query);
        return { ...answer, plan: text, diagram };
      } finally {
        await catalog.close();
      }
    },
  };
}

function verifyView(verified: { report: VerifyReport; timeMs: number } | undefined): VerifyView {
  if (verified === undefined) return { findings: [] };
  const { timeMs, report } = verified;
  const { resources, probed, snippets, counts, findings } = report;
  return { verified: { timeMs, resources, probed, snippets, ...counts }, findings };
}

/** Parses parameters such as `facet.kind=table`. */
function facetsIn(parameters: Readonly<Record<string, string | undefined>>): FacetFilter {
  const facets: FacetFilter = {};
  for (const [name, value] of Object.entries(parameters))
    if (name.startsWith("facet.") && value !== undefined)
      facets[name.slice("facet.".length)] = value;
  return facets;
}
