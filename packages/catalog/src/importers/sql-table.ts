import { quoteIdentifier } from "@ccl/sql";
import type { ResourceColumn } from "../record/resource-record.ts";

/** A table or view as a database describes itself. */
export interface SqlTable {
  /** Undefined if there is only one schema, such as SQLite's `main`. */
  schema?: string | undefined;
  name: string;
  kind: "table" | "view" | "materialized view" | "foreign table" | "virtual table";
  comment?: string | undefined;
  /** Exact or estimated number of rows. Undefined if the database does not know it. */
  rows?: number | undefined;
  /** True if counting stopped early, so the table has more rows than `rows`. */
  isAtLeast?: boolean | undefined;
  columns: ResourceColumn[];
  /** The columns of each unique key with several columns. */
  uniqueKeys: string[][];
  /** Share of nulls by column, 0..1. */
  nullRate: Record<string, number>;
}

/** A foreign key as the database reports it. */
export interface ForeignKey {
  columns: string[];
  /** The referenced table, with its schema if it has one. */
  table: string;
  /** Referenced columns, one for each entry of `columns`. */
  references: string[];
}

/** Returns SQL that counts a source's rows, and the nulls in each column as `c0`, `c1` and so on. */
export function countNullsSql(columns: readonly ResourceColumn[], source: string): string {
  const counts = columns.map(
    ({ name }, index) => `count(*) - count(${quoteIdentifier(name)}) AS c${index}`,
  );
  return `SELECT ${["count(*) AS total", ...counts].join(", ")} FROM ${source}`;
}

/** Returns the null rates above 0, computed from the row that `countNullsSql` selects. */
export function nullShares(
  columns: readonly ResourceColumn[],
  row: Readonly<Record<string, unknown>> | undefined,
): Record<string, number> | undefined {
  const total = Number(row?.["total"] ?? 0);
  if (total === 0) return undefined;
  const shares = columns.map(({ name }, index): [string, number] => [
    name,
    Math.round((Number(row?.[`c${index}`]) / total) * 10_000) / 10_000,
  ]);
  return Object.fromEntries(shares.filter(([, share]) => share > 0));
}

/** Marks the columns of primary and foreign keys, and indexed columns. */
export function markKeys(
  columns: readonly ResourceColumn[],
  keys: {
    primary: readonly string[];
    foreign: readonly ForeignKey[];
    indexes: ReadonlyMap<string, string>;
  },
): void {
  const byName = new Map(columns.map((column) => [column.name, column]));
  for (const name of keys.primary) {
    const column = byName.get(name);
    if (column !== undefined) column.pk = true;
  }
  for (const [name, method] of keys.indexes) {
    const column = byName.get(name);
    if (column !== undefined) column.index = method;
  }
  for (const { columns: names, table, references } of keys.foreign) {
    for (const [index, name] of names.entries()) {
      const column = byName.get(name);
      const target = references[index];
      if (column !== undefined && target !== undefined) column.fk = `${table}.${target}`;
    }
  }
}
