import type { ResourceRecord } from "../record/resource-record.ts";
import { isPersonal } from "../record/schema-digest.ts";
import type { AccessOptions } from "./access-options.ts";
import type { Visibility } from "./create-visibility.ts";
import { createHiddenNames, hiddenColumnNames } from "./hidden-names.ts";
import { presentOverview } from "./present-record.ts";

/**
 * Each record is indexed once per level of access, so that a search cannot find, count or exclude
 * anything by text the principal may not read. The marks never clash with an id, because ids hold
 * no control characters.
 */
const overviewMark = "\u0001";
const bareMark = "\u0002";

/** Returns the id of the resource that an index entry represents. */
export function resourceIdOf(variantId: string): string {
  return variantId.startsWith(overviewMark) || variantId.startsWith(bareMark)
    ? variantId.slice(1)
    : variantId;
}

/** Returns every id that a resource can have in the index. */
export function variantIdsOf(id: string): string[] {
  return [id, overviewMark + id, bareMark + id];
}

/** Returns a record's index entries, one per access level. None contains personal columns. */
export function indexVariants(
  record: ResourceRecord,
  access: AccessOptions | undefined,
): ResourceRecord[] {
  const full = withoutPersonal(record);
  if (access === undefined) return [full];
  const columns = full.columns ?? [];
  const overview = presentOverview(full, { columns, hidden: createHiddenNames([]) });
  const variants: ResourceRecord[] = [full, { ...overview, id: overviewMark + record.id }];
  if (Object.values(access.roles).some((rights) => rights.columns !== undefined)) {
    const { examples: _, ...rest } = overview;
    variants.push({ ...rest, schema_digest: [], id: bareMark + record.id });
  }
  return variants;
}

/**
 * Returns the id of the index entry under which a principal finds a record, or undefined if it may not see the
 * record.
 */
export function seenVariant(record: ResourceRecord, visibility: Visibility): string | undefined {
  if (!visibility.seesOverview(record)) return undefined;
  if (visibility.isOpen) return record.id;
  const isWhole = (record.columns ?? []).every(
    (column) => isPersonal(column) || visibility.seesColumn(column, record),
  );
  if (!isWhole) return bareMark + record.id;
  const seesAll =
    visibility.seesDetails(record) &&
    visibility.seesSection("columns", record) &&
    visibility.seesSection("description", record);
  return seesAll ? record.id : overviewMark + record.id;
}

function withoutPersonal(record: ResourceRecord): ResourceRecord {
  const all = record.columns ?? [];
  const columns = all.filter((column) => !isPersonal(column));
  if (columns.length === all.length) return record;
  const hidden = hiddenColumnNames(all, columns);
  const shown = presentOverview(record, { columns, hidden });
  const description =
    record.description === undefined ? undefined : hidden.maskIn(record.description);
  return { ...shown, columns, ...(description === undefined ? {} : { description }) };
}
