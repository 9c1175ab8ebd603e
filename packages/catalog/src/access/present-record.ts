import { isRecord, withoutUndefined } from "@ccl/core/json";
import type {
  ResourceColumn,
  ResourceDetails,
  ResourceOverview,
  ResourceRecord,
  ResourceShape,
  ResourceUsage,
} from "../record/resource-record.ts";
import { hashAbilities } from "../record/hash-resource.ts";
import type { DetailSection } from "./access-options.ts";
import type { Visibility } from "./create-visibility.ts";
import { hiddenColumnNames, type HiddenNames } from "./hidden-names.ts";

const known = new Set(
  (
    "id uri kind title description tags shape schema_digest cap cost_hint examples owner updated_at columns constraints " +
    "pushdown usage access quality schema_hash cap_hash rev derived"
  ).split(" "),
);

/** Columns that a principal sees, and a matcher for the names of the others. */
export interface ColumnView {
  columns: ResourceColumn[];
  hidden: HiddenNames;
}

/** Determines which of a record's columns the principal sees. */
export function viewColumns(record: ResourceRecord, visibility: Visibility): ColumnView {
  const all = record.columns ?? [];
  const columns = all
    .filter((column) => visibility.seesColumn(column, record))
    .map((column) => withoutHiddenKey(column, record, visibility));
  return { columns, hidden: hiddenColumnNames(all, columns) };
}

function withoutHiddenKey(
  column: ResourceColumn,
  record: ResourceRecord,
  visibility: Visibility,
): ResourceColumn {
  const { fk, ...rest } = column;
  return fk === undefined || visibility.seesForeignKey(fk, record) ? column : rest;
}

/** Returns a record's digest as seen by a principal. */
export function presentDigest({ schema_digest }: ResourceRecord, { hidden }: ColumnView): string[] {
  return schema_digest.filter((entry) => !hidden.isNamedIn(entry));
}

/** Returns a record's overview as seen by a principal, without any text that names a hidden column. */
export function presentOverview(record: ResourceRecord, view: ColumnView): ResourceOverview {
  const { columns, hidden } = view;
  const { id, uri, kind, title, tags, cap, cost_hint, examples, owner } = record;
  const shape = seenShape(record, columns);
  const { updated_at, rev, schema_hash, cap_hash } = record;
  return {
    id,
    uri,
    kind,
    title,
    tags,
    shape,
    schema_digest: presentDigest(record, view),
    cap,
    cost_hint,
    examples: examples?.filter(({ task }) => !hidden.isNamedIn(task)),
    owner,
    updated_at,
    rev,
    schema_hash,
    cap_hash,
  };
}

/**
 * An overview as seen by a principal. `rev` is absent if columns or keys are hidden, because it counts their
 * changes too.
 */
export interface SeenOverview extends Omit<ResourceOverview, "rev"> {
  rev?: number | undefined;
}

/** Returns a record's overview. Its `schema_hash` covers only visible columns. */
export function seenOverview(record: ResourceRecord, visibility: Visibility): SeenOverview {
  const view = viewColumns(record, visibility);
  const overview = presentOverview(record, view);
  if (visibility.isOpen || isWhole(record, view)) return overview;
  const { schema_hash } = hashAbilities({ ...record, columns: view.columns });
  return { ...overview, rev: undefined, schema_hash };
}

/** True if no column and no key is hidden. */
export function isWhole({ columns: all = [] }: ResourceRecord, { columns }: ColumnView): boolean {
  return all.length === columns.length && columns.every((column, at) => column.fk === all[at]?.fk);
}

function seenShape(
  { shape, columns: all }: ResourceRecord,
  columns: readonly ResourceColumn[],
): ResourceShape | undefined {
  if (shape === undefined || all === undefined || columns.length === all.length) return shape;
  return shape.cols === undefined ? shape : { ...shape, cols: columns.length };
}

/** Returns a record's card as seen by a principal, with the requested sections. All sections by default. */
export function presentDetails(
  record: ResourceRecord,
  visibility: Visibility,
  sections?: readonly DetailSection[],
): ResourceDetails {
  const isIncluded = (section: DetailSection): boolean =>
    (sections?.includes(section) ?? true) && visibility.seesSection(section, record);
  const { columns, hidden } = viewColumns(record, visibility);
  const { id, uri, kind, title, description, cap } = record;
  const shape = seenShape(record, columns);
  const usage = presentUsage(record, { isIncluded, hidden });
  const { constraints, quality, pushdown, access } = record;
  const other = isIncluded("other")
    ? Object.entries(record).filter(([name]) => !known.has(name))
    : [];
  const others = other.map(([name, value]) => [name, hidden.removeFrom(value)]);
  const seen = withoutUndefined({
    id,
    uri,
    kind,
    title,
    description:
      description !== undefined && isIncluded("description")
        ? hidden.maskIn(description)
        : undefined,
    columns:
      record.columns !== undefined && isIncluded("columns")
        ? columns.map((column) => ({ ...seenMembers(column, hidden), name: column.name }))
        : undefined,
    constraints:
      constraints !== undefined && isIncluded("constraints")
        ? seenMembers(constraints, hidden)
        : undefined,
    pushdown: isIncluded("pushdown") ? pushdown : undefined,
    cap,
    shape,
    usage,
    access: isIncluded("access") ? access : undefined,
    quality:
      quality !== undefined && isIncluded("quality") ? seenMembers(quality, hidden) : undefined,
  });
  return { ...withoutUndefined(Object.fromEntries(others)), ...seen };
}

function seenMembers(value: object, hidden: HiddenNames): Record<string, unknown> {
  const seen = hidden.removeFrom(value);
  return isRecord(seen) ? seen : {};
}

function presentUsage(
  { usage }: ResourceRecord,
  { isIncluded, hidden }: { isIncluded: (section: DetailSection) => boolean; hidden: HiddenNames },
): ResourceUsage | undefined {
  if (usage === undefined) return undefined;
  const { snippets, anti_patterns } = usage;
  const seen: ResourceUsage = {};
  if (snippets !== undefined && isIncluded("snippets")) {
    seen.snippets = snippets.filter(
      ({ code, title = "" }) => !hidden.isNamedIn(`${title}\n${code}`),
    );
  }
  if (anti_patterns !== undefined && isIncluded("anti_patterns")) {
    seen.anti_patterns = anti_patterns.filter((text) => !hidden.isNamedIn(text));
  }
  return seen;
}
