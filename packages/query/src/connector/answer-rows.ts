import { isRecord } from "@ccl/core/json";
import type { ResourceDetails } from "@ccl/catalog";
import { QueryError } from "../query-error.ts";
import { scanColumns } from "./scan-columns.ts";

/** Rows as a source returns them, before their values are decoded. */
export interface RowPage {
  rowCount: number;
  /** Returns the value of a column. Null and undefined both mean null. */
  valueAt(row: number, column: string): unknown;
}

/** Where to find the rows in an answer. */
export interface AnswerShape {
  /** Keys that lead from the answer to the list of rows. Undefined if the answer is the list or a single row. */
  path: string[] | undefined;
  /** Prefix of the column names, e.g. `items[].`. */
  prefix: string;
}

/**
 * Finds the rows in a resource's answers: at `rowsAt` (keys joined by dots, empty for the answer itself), or else
 * in the list that the column names imply, such as `items` for `items[].id`.
 * @throws QueryError `invalid_options` if the names imply several lists
 */
export function answerShape(resource: ResourceDetails, rowsAt: string | undefined): AnswerShape {
  if (rowsAt !== undefined) {
    const path = rowsAt === "" ? undefined : rowsAt.split(".");
    return { path, prefix: rowsAt === "" ? "" : `${rowsAt}[].` };
  }
  const lists = new Set<string>();
  for (const [name, { isInRows }] of scanColumns(resource)) {
    const end = name.indexOf("[].");
    if (isInRows && end > 0) lists.add(name.slice(0, end));
  }
  const [list, other] = lists;
  if (list === undefined) return { path: undefined, prefix: "" };
  if (other === undefined) return { path: list.split("."), prefix: `${list}[].` };
  const message = `${JSON.stringify(resource.id)} has the lists ${JSON.stringify(list)} and ${JSON.stringify(other)}; say in rowsAt which one its rows are.`;
  throw new QueryError("invalid_options", message, { details: { resource: resource.id } });
}

/** Extracts the rows from an answer. @throws QueryError `value_invalid` if the rows are not at the expected path */
export function answerRows(
  answer: unknown,
  { path, prefix }: AnswerShape,
  source: string,
): RowPage {
  const found = path === undefined ? answer : walk(answer, path);
  const rows = Array.isArray(found)
    ? found
    : path === undefined && isRecord(found)
      ? [found]
      : undefined;
  if (rows === undefined) {
    const where = path === undefined ? "" : ` at ${JSON.stringify(path.join("."))}`;
    const message = `${source} gave ${kindOf(found)}${where} where a list of rows should be; is rowsAt right?`;
    throw new QueryError("value_invalid", message);
  }
  return {
    rowCount: rows.length,
    valueAt(row, column) {
      const value: unknown = rows[row];
      if (!isRecord(value)) {
        if (column === "value" || column === `${prefix}value`) return value;
        throw new QueryError(
          "value_invalid",
          `${source} gave ${kindOf(value)} where a row should be.`,
        );
      }
      const own = prefix !== "" && column.startsWith(prefix) ? column.slice(prefix.length) : column;
      const inRow = fieldOf(value, own);
      // Fields next to the list apply to every row.
      return inRow === undefined && path !== undefined && own === column
        ? fieldOf(answer, column)
        : inRow;
    },
  };
}

/** Reads a field by its name or by a dotted path. `[]` collects the values of a list. */
export function fieldOf(value: unknown, name: string): unknown {
  if (!isRecord(value)) return undefined;
  if (Object.hasOwn(value, name)) return value[name];
  const [first = "", ...rest] = name.split(".");
  const isList = first.endsWith("[]");
  const key = isList ? first.slice(0, -2) : first;
  const inner = Object.hasOwn(value, key) ? value[key] : undefined;
  if (isList) {
    if (!Array.isArray(inner)) return undefined;
    return rest.length === 0
      ? inner
      : inner.map((item: unknown) => fieldOf(item, rest.join(".")) ?? null);
  }
  return rest.length === 0 ? inner : fieldOf(inner, rest.join("."));
}

function walk(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return at;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  return Array.isArray(value)
    ? "a list"
    : typeof value === "object"
      ? "an object"
      : `a ${typeof value}`;
}
