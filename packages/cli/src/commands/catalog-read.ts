import { join } from "node:path";

import { type FacetFilter, renderResourcesMarkdown, type SearchAnswer } from "@ccl/catalog";
import { writeFileDurable } from "@ccl/core/node";

import { openSnapshot, readCatalog, withSnapshot } from "../catalog/read-catalog.ts";
import { writeOut } from "../deliver-pack.ts";
import { formatCount, formatNumber, printable, printableLines } from "../output/text.ts";
import { tableOf } from "../output/table.ts";
import type { CommandResult, Session } from "../session.ts";
import { type CountedFor, openCounter } from "../token-counter.ts";

/** Flags of `ccl catalog search`. */
interface CatalogSearchFlags {
  limit: number;
  facet?: FacetFilter | undefined;
  explain?: boolean | undefined;
}

type Hit = SearchAnswer["hits"][number];

const TERMS = ["text", "vector", "recency", "capability", "cost", "neighbour"] as const;
const MAX_WORDS = 6;
const score = { right: "score" };

/** Finds resources by words, best first. `--explain` lists the terms of each score. */
export async function catalogSearch(
  session: Session,
  words: string[],
  flags: CatalogSearchFlags,
): Promise<CommandResult> {
  const { signal } = session;
  const read = await readCatalog(session);
  const { limit, facet: facets } = flags;
  const found = await withSnapshot(read, session, (catalog) =>
    catalog.search({ text: words.join(" "), limit, facets, signal }),
  );
  const { records } = read;
  const byId = new Map(records.map((record) => [record.id, record]));
  const hits = found.hits.flatMap((hit) => {
    const record = byId.get(hit.id);
    if (record === undefined) return [];
    const { kind, title, schema_digest } = record;
    return [{ ...hit, kind, title, schema_digest }];
  });
  const { unmatchedTerms, coverage, facetCounts } = found;
  return {
    document: { hits, unmatchedTerms, coverage, facetCounts },
    text: flags.explain
      ? tableOf([score, "id", ...TERMS.map((right) => ({ right })), "words"], hits.map(explainRow))
      : tableOf(
          [score, "id", "kind", "title", "fields"],
          hits.map(({ score: value, id, kind, title, schema_digest }) => [
            value.toFixed(3),
            id,
            kind,
            title,
            schema_digest.join(" "),
          ]),
        ),
    note: `${formatCount(hits.length, "hit")} of ${formatCount(records.length, "resource")}${describeMissing(unmatchedTerms)}\n`,
  };
}

function describeMissing(terms: readonly string[]): string {
  return terms.length === 0 ? "" : `; in no resource: ${terms.join(", ")}`;
}

/** Lists the terms that add up to the score. For text search, lists each word with its contribution. */
function explainRow({ id, score: value, explain }: Hit): string[] {
  const words = Object.entries(explain.textParts ?? {}).sort(([, left], [, right]) => right - left);
  const shown = words.slice(0, MAX_WORDS).map(([word, part]) => `${word} ${part.toFixed(2)}`);
  return [
    value.toFixed(3),
    id,
    ...TERMS.map((term) => explain[term]?.toFixed(3) ?? "-"),
    shown.join(", "),
  ];
}

/** Flags of `ccl catalog context`. */
interface CatalogContextFlags extends CountedFor {
  task: string;
  budget: number;
  facet?: FacetFilter | undefined;
}

/**
 * Prints the section of a prompt that describes the resources for a task, within a budget and without personal columns.
 */
export async function catalogContext(
  session: Session,
  flags: CatalogContextFlags,
): Promise<CommandResult> {
  const { signal } = session;
  const { task, budget } = flags;
  const read = await readCatalog(session);
  const counter = await openCounter(flags, session);
  const context = await withSnapshot(read, { signal, counter }, (catalog) =>
    catalog.budgetedContext({ task, budget, facets: flags.facet, signal }),
  );
  const { text, tokens, k, m, omitted, unmatchedTerms } = context;
  return {
    document: { ...context, budget, counter: counter.name },
    text: text.endsWith("\n") ? text : `${text}\n`,
    note: () => {
      const missing = describeMissing(unmatchedTerms);
      const left = omitted.overview === 0 ? "" : `; ${formatNumber(omitted.overview)} left out`;
      const spent = `${formatNumber(tokens)} of ${formatNumber(budget)} tokens (${counter.name})`;
      return printableLines(
        `${spent}: ${formatNumber(k)} rows, ${formatNumber(m)} cards${left}${missing}\n`,
      );
    },
  };
}

/** Flags of `ccl catalog docs`. */
interface CatalogDocsFlags {
  out?: string | undefined;
  title?: string | undefined;
}

/** Writes `resources.md` for people: a table of all resources and a card each, without personal columns. */
export async function catalogDocs(
  session: Session,
  flags: CatalogDocsFlags,
): Promise<CommandResult> {
  const { signal } = session;
  const read = await readCatalog(session);
  const byId = new Map(read.records.map((record) => [record.id, record]));
  const windows = { columnLimit: 10_000, snippetLimit: 100, signal };
  const { items } = await openSnapshot(read).details([...byId.keys()], windows);
  const cards = items.map((card) => {
    const { tags, owner, updated_at } = byId.get(card.id) ?? {};
    return { ...card, tags, owner, updated_at };
  });
  const text = renderResourcesMarkdown(cards, { title: flags.title });
  if (flags.out === "-") return { document: { text, resources: cards.length }, text };
  const path = join(read.folder.path, "resources.md");
  const written = flags.out === undefined ? path : await writeOut(flags.out, text, session);
  if (flags.out === undefined) await writeFileDurable(path, text, session);
  return {
    document: { written: [written], resources: cards.length },
    text: `${printable(written)}: ${formatCount(cards.length, "resource")}\n`,
  };
}
