import { pairColumns } from "../record/pair-columns.ts";
import type { ResourceColumn, ResourceInput } from "../record/resource-record.ts";
import type { ProbedCard } from "./probe-card.ts";
import { driftCodes } from "./verify-report.ts";

/** Fields to drop so that the catalog derives them again. */
const derived = new Set([
  "schema_digest",
  "schema_hash",
  "cap_hash",
  "rev",
  "updated_at",
  "derived",
  "shape",
]);

/**
 * Updates a resource to match its source's columns. Returns undefined if nothing differs or if hidden content
 * would be lost. Types and keys come from the source. Descriptions, units and tags are kept, even for renamed
 * columns.
 */
export function refreshedResource({
  details,
  fresh,
  findings,
  isWhole,
}: ProbedCard): ResourceInput | undefined {
  if (details === undefined || fresh?.columns === undefined || !isWhole) return undefined;
  if (!findings.some(({ code }) => driftCodes.has(code))) return undefined;
  const stored = Object.fromEntries(Object.entries(details).filter(([name]) => !derived.has(name)));
  const { kept: same, renamed } = pairColumns(details.columns ?? [], fresh.columns);
  const known = new Map([...same, ...renamed].map(({ from, to }) => [to, from]));
  const rows = fresh.shape?.rows_est;
  return {
    ...stored,
    id: details.id,
    kind: details.kind,
    title: details.title,
    columns: fresh.columns.map((column) => withNotes(column, known.get(column))),
    shape: {
      ...details.shape,
      ...(rows === undefined ? {} : { rows_est: rows }),
      cols: fresh.columns.length,
    },
  };
}

/** Column fields that only the source defines. */
const ofSource = new Set(["nn", "pk", "fk", "index", "type"]);

function withNotes({ description, ...fresh }: ResourceColumn, stored = fresh): ResourceColumn {
  const notes = Object.entries(stored).filter(([name]) => !ofSource.has(name));
  return { ...(description && { description }), ...Object.fromEntries(notes), ...fresh };
}
