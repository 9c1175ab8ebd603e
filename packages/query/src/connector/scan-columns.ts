import type { ResourceColumn, ResourceDetails } from "@ccl/catalog";
import { columnDataType } from "../plan/data-type.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";

/** Values of `in` that mark a column of the rows. Table columns have no `in`. */
const placesOfRows: ReadonlySet<unknown> = new Set([undefined, "response", "output"]);

const placesOfArguments: ReadonlySet<unknown> = new Set(["query", "path", "input"]);

/** True for a column that is sent with a request or call. */
function isInputColumn(column: ResourceColumn): boolean {
  return placesOfArguments.has(column["in"]);
}

/** A name that a scan of a resource can use. */
export interface ScanColumn {
  /** The rows' column, or the argument if rows do not have the column. */
  column: ResourceColumn;
  /** True if the resource accepts a value for it: `column = literal` is sent with the request. */
  isParameter: boolean;
  /** True if rows have the column. Otherwise its value is the given argument, or null. */
  isInRows: boolean;
  /** True if no request can be sent without a value. */
  isRequired: boolean;
}

/**
 * Lists the names that a scan can use, without duplicates. A parameter (`in` is `query`, `path` or
 * `input`) and an output column may share a name. Headers and bodies are left out.
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

/** The column with its plan type. */
export function planColumn({ column: { name, type, unit } }: ScanColumn): PlanColumn {
  return { name, type: columnDataType(type), unit };
}

/** False for a column of which the catalog says that no row lacks it. A nested field is absent if its parent is. */
export function mayBeNull({ column: { name, nn, pk } }: ScanColumn): boolean {
  return (nn !== true && pk !== true) || /[.[]/.test(name);
}

/** True for a resource that takes arguments. */
export function hasParameters({ columns = [] }: ResourceDetails): boolean {
  return columns.some(isInputColumn);
}
