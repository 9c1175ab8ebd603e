import type { ResourceColumn } from "@ccl/catalog";

/** What `in` says of columns that rows have; absent for those of tables. */
export const placesOfRows: ReadonlySet<unknown> = new Set([undefined, "response", "output"]);

const placesOfArguments: ReadonlySet<unknown> = new Set(["query", "path", "input"]);

/** True for what a request or a call is given. */
export function isInputColumn(column: ResourceColumn): boolean {
  return placesOfArguments.has(column["in"]);
}
