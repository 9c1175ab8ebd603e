import type { FacetFilter, SearchAnswer } from "@ccl/catalog";

import { openSnapshot, readCatalog, saveIndex } from "../catalog/read-catalog.ts";
import type { CommandResult } from "../output/command-result.ts";
import { formatCount } from "../output/format-number.ts";
import { type Column, renderTable } from "../output/table.ts";
import type { Session } from "../session.ts";

/** Flags of `ccl catalog search`. */
export interface CatalogSearchFlags {
  limit: number;
  facet?: FacetFilter | undefined;
  explain?: boolean | undefined;
}

type Hit = SearchAnswer["hits"][number];

const TERMS = ["text", "vector", "recency", "capability", "cost", "neighbour"] as const;
const MAX_WORDS = 6;

/** Finds resources by words, best first; `--explain` says what each score is made of. */
export async function catalogSearch(
  session: Session,
  words: string[],
  flags: CatalogSearchFlags,
): Promise<CommandResult> {
  const { signal } = session;
  const read = await readCatalog(session);
  const catalog = openSnapshot(read);
  const text = words.join(" ");
  const found = await catalog.search({
    text,
    limit: flags.limit,
    signal,
    facets: flags.facet,
  });
  await saveIndex(read, catalog, signal);
  const { records } = read.content;
  const byId = new Map(records.map(({ record }) => [record.id, record]));
  const hits = found.hits.flatMap((hit) => {
    const record = byId.get(hit.id);
    return record === undefined
      ? []
      : [{ ...hit, kind: record.kind, title: record.title, schema_digest: record.schema_digest }];
  });
  const { unmatchedTerms, coverage, facetCounts } = found;
  return {
    document: { hits, unmatchedTerms, coverage, facetCounts },
    text: (style) =>
      flags.explain === true
        ? renderTable(explainColumns(), hits.map(explainRow), style)
        : renderTable(
            [
              { title: "score", align: "right" },
              { title: "id" },
              { title: "kind" },
              { title: "title" },
              { title: "fields" },
            ],
            hits.map(({ score, id, kind, title, schema_digest }) => [
              score.toFixed(3),
              id,
              kind,
              title,
              schema_digest.join(" "),
            ]),
            style,
          ),
    note: () => {
      const missing =
        unmatchedTerms.length === 0 ? "" : `; no resource has: ${unmatchedTerms.join(", ")}`;
      return `${formatCount(hits.length, "hit")} of ${formatCount(records.length, "resource")}${missing}\n`;
    },
  };
}

function explainColumns(): Column[] {
  const terms = TERMS.map((title): Column => ({ title, align: "right" }));
  return [{ title: "score", align: "right" }, { title: "id" }, ...terms, { title: "words" }];
}

/** The terms add up to the score; words are those of the text leg, each with what it gave. */
function explainRow({ id, score, explain }: Hit): string[] {
  const words = Object.entries(explain.textParts ?? {}).sort(([, left], [, right]) => right - left);
  const shown = words.slice(0, MAX_WORDS).map(([word, part]) => `${word} ${part.toFixed(2)}`);
  return [
    score.toFixed(3),
    id,
    ...TERMS.map((term) => explain[term]?.toFixed(3) ?? "-"),
    shown.join(", "),
  ];
}
