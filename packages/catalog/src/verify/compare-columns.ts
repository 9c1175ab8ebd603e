import { pairColumns } from "../record/pair-columns.ts";
import { inertText } from "../record/inert-text.ts";
import type { ResourceColumn } from "../record/resource-record.ts";
import { shortType } from "../record/short-type.ts";
import { isSameType } from "./is-same-type.ts";
import type { VerifyFinding } from "./verify-report.ts";

/** A finding without its resource. */
type ColumnFinding = Omit<VerifyFinding, "resourceId">;

/** Options of a comparison. */
interface CompareColumnsOptions {
  /** Which other facts the source reports besides names and types. */
  knows: readonly ("nn" | "pk" | "fk")[];
  /** True if the catalog shows only some columns, so that an unknown one may not be new. */
  isPartial?: boolean | undefined;
}

/**
 * Lists how the columns of a source differ from the catalog's: removed, renamed, changed, added. Facts that the catalog
 * omits are not compared.
 */
export function compareColumns(
  stored: readonly ResourceColumn[],
  fresh: readonly ResourceColumn[],
  { knows, isPartial = false }: CompareColumnsOptions,
): ColumnFinding[] {
  const { kept, renamed, removed, added } = pairColumns(stored, fresh);
  return [
    ...renamed.map(({ from, to }) => ({
      ...finding("breaking", "column_renamed", from),
      message: `The column is named ${quoted(to.name)} now`,
      from: inertText(from.name, 200),
      to: inertText(to.name, 200),
    })),
    ...removed.map((column) => ({
      ...finding("breaking", "column_removed", column),
      message: "The source no longer has this column",
    })),
    ...(isPartial ? [] : added).map((column) => ({
      ...finding("notice", "column_added", column),
      message: `The source has a column that the catalog lacks, of type ${column.type ?? "any"}`,
    })),
    ...kept.flatMap(({ from, to }) => changesOf(from, to, knows)),
  ];
}

function finding(
  severity: ColumnFinding["severity"],
  code: ColumnFinding["code"],
  column: ResourceColumn,
): Omit<ColumnFinding, "message"> {
  return { severity, code, path: `columns.${inertText(column.name, 200)}` };
}

function changesOf(
  stored: ResourceColumn,
  fresh: ResourceColumn,
  knows: CompareColumnsOptions["knows"],
): ColumnFinding[] {
  const findings: ColumnFinding[] = [];
  if (
    stored.type !== undefined &&
    fresh.type !== undefined &&
    !isSameType(stored.type, fresh.type)
  ) {
    const isAlike = shortType(stored.type) === shortType(fresh.type);
    findings.push({
      ...finding(isAlike ? "warning" : "breaking", "type_changed", stored),
      message: isAlike ? "The type is another one of its kind" : "The type is another",
      from: inertText(stored.type, 200),
      to: inertText(fresh.type, 200),
    });
  }
  if (knows.includes("nn") && stored.nn === true && fresh.nn !== true) {
    findings.push({
      ...finding("breaking", "nulls_allowed", stored),
      message: "The column may be null now",
    });
  }
  if (knows.includes("pk") && stored.pk === true && fresh.pk !== true) {
    findings.push({
      ...finding("breaking", "key_changed", stored),
      message: "The column is no longer part of the primary key",
    });
  }
  if (knows.includes("fk") && stored.fk !== undefined && !isSamePlace(stored.fk, fresh.fk)) {
    findings.push({
      ...finding("breaking", "key_changed", stored),
      message: "The column no longer points there",
      from: inertText(stored.fk, 200),
      to: fresh.fk === undefined ? undefined : inertText(fresh.fk, 200),
    });
  }
  return findings;
}

/** `users.id` and `public.users.id` count as equal. */
function isSamePlace(left: string, right: string | undefined): boolean {
  if (right === undefined) return false;
  return left === right || left.endsWith(`.${right}`) || right.endsWith(`.${left}`);
}

function quoted(text: string): string {
  return JSON.stringify(inertText(text, 200));
}
