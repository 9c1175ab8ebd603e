import type { ComponentChildren } from "preact";

import { count } from "./format.ts";
import { currentRoute, replaceRoute, useRoute } from "./route.ts";

/**
 * A column of a table. `value` is for sorting and searching. `show` renders the cell if plain text
 * does not suffice.
 */
interface Column<Row> {
  title: string;
  value: (row: Row) => string | number | undefined;
  show?: (row: Row) => ComponentChildren;
}

/** Properties of a table. */
interface DataTableProps<Row> {
  /** Prefix of the URL parameters for search, order and length. */
  name: string;
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  classOf?: (row: Row) => string;
}

const pageLength = 100;

/** A table with search and sorting that loads in steps. On a narrow page each row is a block. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { name, label, rows, columns, keyOf, classOf } = props;
  const { parameters } = useRoute();
  const { [`${name}.find`]: find = "", [`${name}.sort`]: sort = "" } = parameters;
  const length = Number(parameters[`${name}.length`] ?? pageLength);
  const set = (change: Record<string, string | number>) => {
    const now = currentRoute();
    replaceRoute(now.page, { ...now.parameters, ...change });
  };
  const found = sorted(
    rows.filter((row) => hasWords(columns, row, find)),
    columns,
    sort,
  );
  if (rows.length === 0) return null;
  return (
    <>
      {rows.length < 2 ? null : (
        <div class="row">
          <label>
            Find{" "}
            <input
              type="search"
              value={find}
              aria-label={`Find in ${label}`}
              onInput={(event) => set({ [`${name}.find`]: event.currentTarget.value })}
            />
          </label>
          <span class="muted" role="status">
            {find === "" ? count(rows.length) : `${count(found.length)} of ${count(rows.length)}`}
          </span>
        </div>
      )}
      <div class="scroll" tabIndex={0} role="region" aria-label={label}>
        <table class="data">
          <thead>
            <tr>
              {columns.map(({ title }, at) => {
                const [isUp, isDown] = [sort === `${at}`, sort === `-${at}`];
                const next = isDown ? at : `-${at}`;
                return (
                  <th key={title} aria-sort={isUp ? "ascending" : isDown ? "descending" : "none"}>
                    <button type="button" onClick={() => set({ [`${name}.sort`]: next })}>
                      {title} {isUp ? "↑" : isDown ? "↓" : ""}
                    </button>
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {found.slice(0, length).map((row) => (
              <tr key={keyOf(row)} class={classOf?.(row) ?? ""}>
                {columns.map(({ title, value, show }) => (
                  <td
                    key={title}
                    data-title={title}
                    class={typeof value(row) === "number" ? "number" : "wide"}
                  >
                    {show === undefined ? value(row) : show(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {found.length > length ? (
        <button type="button" onClick={() => set({ [`${name}.length`]: length + pageLength })}>
          Show more: {count(found.length - length)} are not shown yet
        </button>
      ) : null}
    </>
  );
}

function hasWords<Row>(columns: readonly Column<Row>[], row: Row, find: string): boolean {
  if (find.trim() === "") return true;
  const text = columns
    .map(({ value }) => value(row))
    .join("\n")
    .toLowerCase();
  return find
    .toLowerCase()
    .trim()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/**
 * Sorts by the column with the given number, descending after a minus. Unchanged if there is no
 * such column.
 */
function sorted<Row>(rows: Row[], columns: readonly Column<Row>[], sort: string): Row[] {
  const value = columns[Math.abs(Number(sort))]?.value;
  if (sort === "" || value === undefined) return rows;
  const sign = sort.startsWith("-") ? -1 : 1;
  return rows.toSorted((a, b) => sign * compare(value(a), value(b)));
}

function compare(a: string | number | undefined, b: string | number | undefined): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  // Unknown values are the lowest.
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
