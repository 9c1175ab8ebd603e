import type { FacetFilter } from "@ccl/catalog";

import { openSnapshot, readCatalog, saveIndex } from "../catalog/read-catalog.ts";
import type { CommandResult } from "../output/command-result.ts";
import { formatNumber } from "../output/format-number.ts";
import { printableLines } from "../output/printable.ts";
import type { Session } from "../session.ts";
import { openCounter, type Encoding } from "../token-counter.ts";

/** Flags of `ccl catalog context`. */
export interface CatalogContextFlags {
  task: string;
  budget: number;
  modelEncoding: Encoding;
  facet?: FacetFilter | undefined;
}

/** The part of a prompt that tells a model of the resources for a task, within a budget. Personal columns stay out. */
export async function catalogContext(
  session: Session,
  flags: CatalogContextFlags,
): Promise<CommandResult> {
  const { signal } = session;
  const { task, budget } = flags;
  const read = await readCatalog(session);
  const counter = await openCounter(flags.modelEncoding);
  const catalog = openSnapshot(read, counter);
  const context = await catalog.budgetedContext({
    task,
    budget,
    signal,
    facets: flags.facet,
  });
  await saveIndex(read, catalog, signal);
  const { text, tokens, k, m, omitted, unmatchedTerms } = context;
  return {
    document: { ...context, budget, counter: counter.name },
    text: () => (text.endsWith("\n") ? text : `${text}\n`),
    note: () => {
      const missing =
        unmatchedTerms.length === 0 ? "" : `; no resource has: ${unmatchedTerms.join(", ")}`;
      const left = omitted.overview === 0 ? "" : `; ${formatNumber(omitted.overview)} left out`;
      const spent = `${formatNumber(tokens)} of ${formatNumber(budget)} tokens (${counter.name})`;
      return printableLines(
        `${spent}: ${formatNumber(k)} rows, ${formatNumber(m)} cards${left}${missing}\n`,
      );
    },
  };
}
