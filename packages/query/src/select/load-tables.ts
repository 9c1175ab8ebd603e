import type { ResourceDetails } from "@ccl/catalog";
import type { EngineInput } from "../connector/connector.ts";
import { findConnector } from "../connector/find-connector.ts";
import { hasParameters, planColumn, scanColumns } from "../connector/scan-columns.ts";
import {
  comparisons,
  conditionSigns,
  type SimpleCondition,
} from "../connector/simple-condition.ts";
import { engineInput, openScan, type ScanOptions } from "../execute/open-scan.ts";
import { canonicalDate } from "../plan/canonical-value.ts";
import { columnDataType, type DataKind } from "../plan/data-type.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import type { TableUse } from "./name-scope.ts";
import type { SqlPlan } from "./parse-sql.ts";
import type { Comparison } from "./resolution.ts";
import type { SqlSpelling } from "./sql-functions.ts";

/** Tables for an engine, and the loaded table for each table reference in the statement. */
export interface LoadedTables {
  inputs: EngineInput[];
  nameOf: ReadonlyMap<TableUse, string>;
}

type LoadOptions = ScanOptions & { spelling: SqlSpelling };

/** Starts reading the columns that a statement needs. Applies WHERE to tables that the statement names only once. */
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
  { uses, known }: { uses: readonly TableUse[]; known: readonly Comparison[] },
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
    conditions: known.flatMap((comparison) => conditionsOf(comparison, columns)),
  };
  // An access rule may read columns that the statement cannot see.
  const details = [...options.details]
    .filter(({ id }) => id === visible.id)
    .map((resource) => storedTypes(resource, options));
  const opened = openScan(scan, { ...options, details });
  const nameOf = (index: number): string => opened.columns[index]?.name ?? "";
  return engineInput(name, columns, { ...opened, nameOf });
}

/** SQLite stores decimals as doubles and dates as text, so its functions must receive those types. */
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

/** Converts the comparison to scan conditions. Returns none if their meaning might differ. */
function conditionsOf(
  { column, operator, literals }: Comparison,
  columns: readonly PlanColumn[],
): SimpleCondition[] {
  const type = columns.find(({ name }) => name === column)?.type;
  if (type === undefined) return [];
  const values = literals.flatMap((literal) => valueOf(literal, type.kind, operator) ?? []);
  if (values.length < literals.length) return [];
  const [low, high] = values;
  if (operator === "between" && low !== undefined && high !== undefined)
    return [
      { column, operator: "ge", type, values: [low] },
      { column, operator: "le", type, values: [high] },
    ];
  const compared = comparisons.find((name) => conditionSigns[name] === operator);
  if (compared === undefined) return [];
  return [{ column, operator: values.length === 1 ? compared : "in", type, values }];
}

/** Converts a SQL literal to a column value. Returns undefined if sources might compare it differently. */
function valueOf(literal: string, kind: DataKind, operator: string): string | number | undefined {
  const text = literal.startsWith("'") ? literal.slice(1, -1).replaceAll("''", "'") : undefined;
  if (kind === "text" && operator === "=") return text;
  if (kind === "date" && text !== undefined) return canonicalDate(text);
  return kind === "int" && /^\d{1,15}$/.test(literal) ? Number(literal) : undefined;
}
