import type { ResourceColumn, ResourceDetails } from "@ccl/catalog";
import { columnDataType } from "../plan/data-type.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";

/** Values of `in` for columns that appear in rows. Table columns have no `in`. */
const placesOfRows: ReadonlySet<unknown> = new Set([undefined, "response", "output"]);

const placesOfArguments: ReadonlySet<unknown> = new Set(["query", "path", "input"]);

/** True if the column is sent with a request or call. */
function isInputColumn(column: ResourceColumn): boolean {
  return placesOfArguments.has(column["in"]);
}

/** A column name that a scan of a resource can use. */
export interface ScanColumn {
  /** The column in the rows, or the argument if rows lack the column. */
  column: ResourceColumn;
  /** True if the resource accepts a value for it: `column = literal` is sent with the request. */
  isParameter: boolean;
  /** True if rows have the column. Otherwise its value is the argument, or null if none is given. */
  isInRows: boolean;
  /** True if a request needs a value for it. */
  isRequired: boolean;
}

/**
 * Lists the names that a scan can use, without duplicates. A parameter (`in` is `query`, `path` or `input`) and an
 * output column can share a name. Headers and bodies are omitted.
 */
export function scanColumns({ columns = [] }: ResourceDetails): Map<string, ScanColumn> {
  const found = new Map<string, ScanColumn>();
  for (const column of columns) {
    const isParameter = isInputColumn(column);
    const isInRows = placesOfRows.has(column["in"]);
    if (!isParameter && !isInRows) continue;
    const known = found.get(column.name);
    const isRequired = isParameter && (column.nn === true || column["in"] === "path");
    found.set(column.name, {
      column: known?.isInRows === true && !isInRows ? known.column : column,
      isParameter: isParameter || known?.isParameter === true,
      isInRows: isInRows || known?.isInRows === true,
      isRequired: isRequired || known?.isRequired === true,
    });
  }
  return found;
}

/** Returns the column with its plan type. */
export function planColumn({ column: { name, type, unit } }: ScanColumn): PlanColumn {
  return { name, type: columnDataType(type), unit };
}

/** Returns false if the catalog says that every row has a value. A nested field is absent if its parent is absent. */
export function mayBeNull({ column: { name, nn, pk } }: ScanColumn): boolean {
  return (nn !== true && pk !== true) || /[.[]/.test(name);
}

/** True if the resource takes arguments. */
export function hasParameters({ columns = [] }: ResourceDetails): boolean {
  return columns.some(isInputColumn);
}
