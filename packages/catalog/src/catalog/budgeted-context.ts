import type { Visibility } from "../access/create-visibility.ts";
import { presentDetails, presentDigest, viewColumns } from "../access/present-record.ts";
import { buildContext, type ContextCandidate } from "../budget/build-context.ts";
import { minRowTokens } from "../budget/fill-rows.ts";
import { overviewRow, type OverviewRow } from "../budget/overview-row.ts";
import { shareBudget } from "../budget/share-budget.ts";
import { CatalogError } from "../catalog-error.ts";
import type { ResourceRecord } from "../record/resource-record.ts";
import { requireIds, resolveAlias } from "./call-options.ts";
import type { BudgetedContext, ContextRequest, VectorLeg } from "./catalog.ts";
import type { CatalogContext } from "./catalog-context.ts";
import { seenStale } from "./details-of.ts";
import { findResources } from "./search-resources.ts";
import type { VisibleSet } from "./visible-set.ts";

/** Records in rank order, and the search's report about them. */
export interface RankedCandidates {
  records: ResourceRecord[];
  /** Records that the search did not find but that may still get a row, sorted by id. */
  others: ResourceRecord[];
  visible: VisibleSet;
  unmatchedTerms: string[];
  vectorLeg: VectorLeg;
}

/** Maximum number of search results. */
const maxCandidates = 2_000;

/** Builds rows and cards for a task. See `Catalog.budgetedContext`. */
export async function createBudgetedContext(
  request: ContextRequest,
  context: CatalogContext,
): Promise<BudgetedContext> {
  const ranked = await rankCandidates(request, context);
  const { records, others, visible, unmatchedTerms, vectorLeg } = ranked;
  const built = buildContext({
    candidates: records.map((record) => toCandidate(record, visible)),
    others: others.map((record) => toCandidate(record, visible)),
    budget: request.budget,
    reserve: request.reserve,
    counter: context.counter,
  });
  return { ...built, unmatchedTerms, vectorLeg };
}

/** Returns the given candidates, or searches for the task. Returns no more hits than could get a row. */
export async function rankCandidates(
  request: ContextRequest,
  context: CatalogContext,
): Promise<RankedCandidates> {
  const { task, budget, reserve, candidates, facets, aliases, principal, signal } = request;
  if (typeof task !== "string")
    throw new CatalogError("invalid_options", "The task must be a string.");
  const { rest } = shareBudget(budget, reserve, context.counter);
  const exclude = (request.exclude ?? []).map((id) => resolveAlias(id, aliases));
  const visible = await context.look(principal, signal);
  if (candidates !== undefined) {
    const ids = candidates.map((candidate) =>
      typeof candidate === "string" ? candidate : candidate.id,
    );
    requireIds("candidates", ids);
    const left = new Set(ids.map((id) => resolveAlias(id, aliases)));
    for (const id of exclude) left.delete(id);
    const records = [...left].flatMap((id) => visible.get(id) ?? []);
    return { records, others: [], visible, unmatchedTerms: [], vectorLeg: "absent" };
  }
  await context.fillVectors(signal);
  const limit = Math.min(maxCandidates, Math.max(20, Math.ceil(rest / minRowTokens)));
  const query = { visible, exclude, facets, signal };
  const { hits, unmatchedTerms, vectorLeg } = await findResources(
    { ...query, text: task, limit },
    context,
  );
  const records = hits.flatMap(({ id }) => visible.get(id) ?? []);
  const found = new Set(hits.map(({ id }) => id));
  const bound = Math.min(maxCandidates, Math.ceil(rest / minRowTokens)) + found.size;
  const all =
    hits.length < limit ? await findResources({ ...query, limit: bound }, context) : { hits };
  const others = all.hits.flatMap(({ id }) => (found.has(id) ? [] : (visible.get(id) ?? [])));
  return { records, others, visible, unmatchedTerms, vectorLeg };
}

/** Converts a record to a row, plus a card if the principal may see it. */
export function toCandidate(record: ResourceRecord, visible: VisibleSet): ContextCandidate {
  const { visibility } = visible;
  let row: OverviewRow | undefined;
  return {
    id: record.id,
    row: () => (row ??= seenRow(record, visibility)),
    card: () =>
      visibility.seesDetails(record)
        ? { details: presentDetails(record, visibility), stale: seenStale(record, visible) }
        : undefined,
  };
}

function seenRow(record: ResourceRecord, visibility: Visibility): OverviewRow {
  const view = viewColumns(record, visibility);
  const { id, kind, title, description } = record;
  const schema_digest = presentDigest(record, view);
  const isTold =
    description !== undefined &&
    visibility.seesDetails(record) &&
    visibility.seesSection("description", record);
  return overviewRow({
    id,
    kind,
    title,
    schema_digest,
    description: isTold ? view.hidden.maskIn(description) : undefined,
  });
}
