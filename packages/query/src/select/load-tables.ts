import { listOf, nodeOf } from "@ccl/sql/parse";
import type { ResourceDetails } from "@ccl/catalog";
import type { EngineInput } from "../connector/connector.ts";
import { findConnector } from "../connector/find-connector.ts";
import { hasParameters, planColumn, scanColumns } from "../connector/scan-columns.ts";
import type { SimpleCondition } from "../connector/simple-condition.ts";
import { engineInput, openScan, type ScanOptions } from "../execute/open-scan.ts";
import { canonicalDate } from "../plan/canonical-value.ts";
import { columnDataType } from "../plan/data-type.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import type { TableUse } from "./name-scope.ts";
import type { SqlPlan } from "./parse-sql.ts";
import type { KnownCondition } from "./resolution.ts";
import type { SqlSpelling } from "./sql-functions.ts";

/** Tables for an engine, and the loaded table for each table reference of the statement. */
export interface LoadedTables {
  inputs: EngineInput[];
  nameOf: ReadonlyMap<TableUse, string>;
}

type LoadOptions = ScanOptions & { spelling: SqlSpelling };

/**
 * Starts to read the columns that a statement needs. A table that the statement names once is
 * filtered by WHERE.
 */
export function loadTables(plan: SqlPlan, options: LoadOptions): LoadedTables {
  const { tables, conditions } = plan.resolved;
  const groups = new Map<string, TableUse[]>();
  for (const [index, use] of tables.entries()) {
    // Each call of an API has its own arguments.
    const key = hasParameters(use.resource) ? `${index}` : use.resource.id;
    groups.set(key, [...(groups.get(key) ?? []), use]);
  }
  const inputs: EngineInput[] = [];
  const nameOf = new Map<TableUse, string>();
  for (const uses of groups.values()) {
    const name = `ccl_t${inputs.length}`;
    const known = uses.length === 1 ? conditions.filter(({ table }) => uses.includes(table)) : [];
    inputs.push(loadTable(name, { uses, known }, options));
    for (const use of uses) nameOf.set(use, name);
  }
  return { inputs, nameOf };
}

function loadTable(
  name: string,
  { uses, known }: { uses: readonly TableUse[]; known: readonly KnownCondition[] },
  options: LoadOptions,
): EngineInput {
  const visible = storedTypes(uses[0]?.resource ?? { id: "", kind: "", title: "" }, options);
  const isWhole = uses.some((use) => use.isWhole);
  const found = scanColumns(visible);
  const all = [...found.keys()];
  const needed = all.filter((column) => isWhole || uses.some(({ columns }) => columns.has(column)));
  const names = needed.length > 0 ? needed : all.slice(0, 1);
  const columns = names.flatMap((column) => {
    const known = found.get(column);
    return known === undefined ? [] : [planColumn(known)];
  });
  const scan = {
    name: visible.id,
    resource: visible,
    columns,
    conditions: known
      .map((condition) => conditionOf(condition, columns))
      .filter((condition) => condition !== undefined),
  };
  // An access rule may read columns that the statement does not know.
  const details = [...options.details]
    .filter(({ id }) => id === visible.id)
    .map((resource) => storedTypes(resource, options));
  const opened = openScan(scan, { ...options, details });
  const nameOf = (index: number): string => opened.columns[index]?.name ?? "";
  return engineInput(name, columns, { ...opened, nameOf });
}

/** SQLite stores decimals as doubles and dates as text, so its own functions must see those types. */
function storedTypes(
  resource: ResourceDetails,
  { connectors, spelling }: LoadOptions,
): ResourceDetails {
  if (findConnector(connectors, resource).connector.sql?.dialect !== "sqlite") return resource;
  const columns = resource.columns?.map((column) => {
    const { kind } = columnDataType(column.type);
    if (kind === "decimal") return { ...column, type: "double" };
    const isTime = kind === "date" || kind === "timestamp" || kind === "timestamptz";
    return isTime && spelling === "sqlite" ? { ...column, type: "text" } : column;
  });
  return { ...resource, columns };
}

const comparisons = new Map(
  Object.entries({ Eq: "eq", Lt: "lt", LtEq: "le", Gt: "gt", GtEq: "ge" } as const),
);

/** The condition in the plan language. Undefined if the two might differ in meaning. */
function conditionOf(
  { column, operator, literal }: KnownCondition,
  columns: readonly PlanColumn[],
): SimpleCondition | undefined {
  const type = columns.find(({ name }) => name === column)?.type;
  const kind = type?.kind;
  const compared = comparisons.get(operator);
  if (compared === undefined) return undefined;
  const { SingleQuotedString: text, Number: number } = nodeOf(literal);
  const digits = listOf(number)[0];
  const value =
    kind === "text" && compared === "eq"
      ? text
      : kind === "date" && typeof text === "string"
        ? canonicalDate(text)
        : kind === "int" && typeof digits === "string" && /^\d{1,15}$/.test(digits)
          ? Number(digits)
          : undefined;
  if (type === undefined || (typeof value !== "string" && typeof value !== "number"))
    return undefined;
  return { column, operator: compared, type, values: [value] };
}
