import { pairColumns } from "../record/pair-columns.ts";
import { inertText } from "../record/inert-text.ts";
import type { ResourceColumn } from "../record/resource-record.ts";
import { shortType } from "../record/short-type.ts";
import { isSameType } from "./is-same-type.ts";
import type { VerifyFinding } from "./verify-report.ts";

/** A finding without its resource id. */
type ColumnFinding = Omit<VerifyFinding, "resourceId">;

/** Options of a comparison. */
interface CompareColumnsOptions {
  /** Facts that the source reports in addition to names and types. */
  knows: readonly ("nn" | "pk" | "fk")[];
  /** True if the catalog shows only some columns, so an unknown column may not be new. */
  isPartial?: boolean | undefined;
}

/**
 * Lists the columns that were removed, renamed, changed or added in the source since the catalog was written.
 * Facts that the catalog omits are not compared.
 */
export function compareColumns(
  stored: readonly ResourceColumn[],
  fresh: readonly ResourceColumn[],
  { knows, isPartial = false }: CompareColumnsOptions,
): ColumnFinding[] {
  const { kept, renamed, removed, added } = pairColumns(stored, fresh);
  const lost = "The source no longer has this column";
  return [
    ...renamed.map(({ from, to }) =>
      finding(["breaking", "column_renamed"], from, {
        message: `The column is named ${quoted(to.name)} now`,
        from: from.name,
        to: to.name,
      }),
    ),
    ...removed.map((column) => finding(["breaking", "column_removed"], column, { message: lost })),
    ...(isPartial ? [] : added).map((column) =>
      finding(["notice", "column_added"], column, {
        message: `The source has a column that the catalog lacks, of type ${column.type ?? "any"}`,
      }),
    ),
    ...kept.flatMap(({ from, to }) => changesOf(from, to, knows)),
  ];
}

function finding(
  [severity, code]: [ColumnFinding["severity"], ColumnFinding["code"]],
  column: ResourceColumn,
  { message, from, to }: Pick<ColumnFinding, "message" | "from" | "to">,
): ColumnFinding {
  return {
    severity,
    code,
    path: `columns.${inertText(column.name, 200)}`,
    message,
    from: from && inertText(from, 200),
    to: to && inertText(to, 200),
  };
}

function changesOf(
  stored: ResourceColumn,
  fresh: ResourceColumn,
  knows: CompareColumnsOptions["knows"],
): ColumnFinding[] {
  const findings: ColumnFinding[] = [];
  const { type: from, fk } = stored;
  const { type: to } = fresh;
  if (from !== undefined && to !== undefined && !isSameType(from, to)) {
    const isAlike = shortType(from) === shortType(to);
    const message = isAlike ? "The type is another one of its kind" : "The type is another";
    findings.push(
      finding([isAlike ? "warning" : "breaking", "type_changed"], stored, { message, from, to }),
    );
  }
  if (knows.includes("nn") && stored.nn === true && fresh.nn !== true) {
    const message = "The column may be null now";
    findings.push(finding(["breaking", "nulls_allowed"], stored, { message }));
  }
  if (knows.includes("pk") && stored.pk === true && fresh.pk !== true) {
    const message = "The column is no longer part of the primary key";
    findings.push(finding(["breaking", "key_changed"], stored, { message }));
  }
  if (knows.includes("fk") && fk !== undefined && !isSamePlace(fk, fresh.fk)) {
    const message = "The column no longer points there";
    findings.push(
      finding(["breaking", "key_changed"], stored, { message, from: fk, to: fresh.fk }),
    );
  }
  return findings;
}

/** True if both name the same column. `users.id` and `public.users.id` count as equal. */
function isSamePlace(left: string, right: string | undefined): boolean {
  if (right === undefined) return false;
  return left === right || left.endsWith(`.${right}`) || right.endsWith(`.${left}`);
}

function quoted(text: string): string {
  return JSON.stringify(inertText(text, 200));
}
