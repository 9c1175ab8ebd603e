import type { ResourceColumn, ResourceDetails } from "@ccl/catalog";

/** What `in` says of columns that rows have; absent for those of tables. */
const placesOfRows: ReadonlySet<unknown> = new Set([undefined, "response", "output"]);

const placesOfArguments: ReadonlySet<unknown> = new Set(["query", "path", "input"]);

/** True for what a request or a call is given. */
function isInputColumn(column: ResourceColumn): boolean {
  return placesOfArguments.has(column["in"]);
}

/** A name that a scan of a resource knows. */
export interface ScanColumn {
  /** As the rows have it; of the argument where only that is there. */
  column: ResourceColumn;
  /** The resource takes a value of it: `column = literal` is sent along. */
  isParameter: boolean;
  /** Rows have it. One that they do not have reads as the argument that was given, and is null without one. */
  isInRows: boolean;
  /** Nothing can be asked without a value. */
  isRequired: boolean;
}

/**
 * The names of a resource, each once: what an API or a function takes (`in` is `query`, `path` or `input`) and what it
 * gives may share a name. What goes into headers and bodies is left out.
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

/** True for a resource that takes arguments. */
export function hasParameters({ columns = [] }: ResourceDetails): boolean {
  return columns.some(isInputColumn);
}
