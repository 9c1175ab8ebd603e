import type { PlanValue } from "../connector/column-batch.ts";
import type { QueryResult } from "../execute/query-result.ts";
import { typeName, type DataKind } from "../plan/data-type.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import { QueryError } from "../query-error.ts";

/** A field of a page's row: a column, as the page wants it, or fields within. */
type ViewField = ViewValue | ViewGroup;

/** A value of a column. */
interface ViewValue {
  /** The column; the field's own name where absent. */
  column?: string | undefined;
  /** `number` for numbers of any kind that a double holds, `text` for their exact digits. As the result has it where absent. */
  as?: "number" | "text" | "boolean" | undefined;
  /** Stands for null. A null without one is null. */
  whenNull?: string | number | boolean | undefined;
}

/** Fields that stand together. */
interface ViewGroup {
  fields: Readonly<Record<string, ViewField>>;
}

/** The shape of a page's rows, made at development time. */
export interface ViewSchema {
  fields: Readonly<Record<string, ViewField>>;
}

/** A row in a page's shape: JSON, so that a bigint comes as its digits. */
export interface ViewRow {
  [field: string]: string | number | boolean | null | ViewRow;
}

/**
 * The rows of a result in the shape that a page needs, as they are read; the page learns nothing else of the sources.
 * @throws QueryError `invalid_options` at once, for columns that the result lacks or types that do not fit; `value_invalid`
 * while reading, for a number that no double holds
 */
export function projectResult(
  result: Pick<QueryResult, "columns" | "batches">,
  view: ViewSchema,
): AsyncIterable<ViewRow> {
  const wrong: string[] = [];
  const read = groupReader(view, { columns: result.columns, path: "", wrong });
  if (wrong.length > 0)
    throw new QueryError(
      "invalid_options",
      `The view does not fit the result: ${wrong.slice(0, 5).join(" ")}`,
      {
        details: { issues: wrong },
      },
    );
  return rowsOfView(result, read);
}

type Reader = (columns: readonly PlanValue[][], row: number) => ViewRow[string];

async function* rowsOfView(
  { batches }: Pick<QueryResult, "batches">,
  read: (columns: readonly PlanValue[][], row: number) => ViewRow,
): AsyncGenerator<ViewRow, void> {
  for await (const { columns, rowCount } of batches)
    for (let row = 0; row < rowCount; row++) yield read(columns, row);
}

interface ReaderContext {
  columns: readonly PlanColumn[];
  path: string;
  wrong: string[];
}

function groupReader(
  { fields }: ViewGroup,
  context: ReaderContext,
): (columns: readonly PlanValue[][], row: number) => ViewRow {
  const readers = Object.entries(fields).map(([name, field]): [string, Reader] => {
    const path = context.path === "" ? name : `${context.path}.${name}`;
    return [
      name,
      "fields" in field
        ? groupReader(field, { ...context, path })
        : valueReader(name, field, { ...context, path }),
    ];
  });
  if (readers.length === 0) context.wrong.push(`${JSON.stringify(context.path)} has no fields.`);
  return (columns, row) =>
    Object.fromEntries(readers.map(([name, read]) => [name, read(columns, row)]));
}

function valueReader(
  name: string,
  { column = name, as, whenNull }: ViewValue,
  { columns, path, wrong }: ReaderContext,
): Reader {
  const at = columns.findIndex((known) => known.name === column);
  const found = columns[at];
  if (found === undefined)
    wrong.push(
      `${JSON.stringify(path)}: the result has no column ${JSON.stringify(column)}; it has ${columns
        .map((known) => known.name)
        .join(", ")
        .slice(0, 200)}.`,
    );
  else if (!fits(found.type.kind, as))
    wrong.push(
      `${JSON.stringify(path)}: ${JSON.stringify(column)} is ${typeName(found.type)}, no ${as ?? ""}.`,
    );
  return (values, row) => {
    const value = values[at]?.[row] ?? null;
    if (value === null) return whenNull ?? null;
    if (as === "number") return exactNumber(value, column);
    return as === "text" || typeof value === "bigint" ? String(value) : value;
  };
}

function fits(kind: DataKind, as: ViewValue["as"]): boolean {
  if (as === "number") return kind === "int" || kind === "float" || kind === "decimal";
  return as !== "boolean" || kind === "bool";
}

function exactNumber(value: string | number | bigint | boolean, column: string): number {
  const number = Number(value);
  const isExact =
    typeof value === "bigint"
      ? BigInt(number) === value
      : typeof value !== "string" || value.replace(/[-.]/g, "").replace(/^0+/, "").length <= 15;
  if (isExact) return number;
  throw new QueryError(
    "value_invalid",
    `A value of ${JSON.stringify(column)} has more digits than a number of JSON; ask for text.`,
    { details: { column } },
  );
}
