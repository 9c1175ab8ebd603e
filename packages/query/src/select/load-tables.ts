import type { ResourceDetails } from "@ccl/catalog";
import type { EngineInput } from "../connector/connector.ts";
import { findConnector } from "../connector/find-connector.ts";
import { hasParameters } from "../connector/scan-columns.ts";
import { executePlan, type ExecutePlanOptions } from "../execute/execute-plan.ts";
import { limitsOf } from "../execute/execution-limits.ts";
import { columnDataType } from "../plan/data-type.ts";
import type { Expression } from "../plan/expression.ts";
import type { LogicalPlan } from "../plan/logical-plan.ts";
import type { TableUse } from "./name-scope.ts";
import type { SqlPlan } from "./parse-sql.ts";
import type { KnownCondition } from "./resolution.ts";
import type { SqlSpelling } from "./sql-functions.ts";
import { listOf, nodeOf } from "./syntax-tree.ts";

/** Tables for an engine, and the loaded table for each table reference of the statement. */
export interface LoadedTables {
  inputs: EngineInput[];
  nameOf: ReadonlyMap<TableUse, string>;
}

type LoadOptions = ExecutePlanOptions & {
  details: readonly ResourceDetails[];
  spelling: SqlSpelling;
};

/** Starts to read the columns that a statement needs. A table that it names once is filtered by its WHERE. */
export async function loadTables(plan: SqlPlan, options: LoadOptions): Promise<LoadedTables> {
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
    const [first] = uses;
    if (first === undefined) continue;
    const name = `ccl_t${inputs.length}`;
    const known = uses.length === 1 ? conditions.filter(({ table }) => table === first) : [];
    inputs.push(await loadTable(name, { uses, known }, options));
    for (const use of uses) nameOf.set(use, name);
  }
  return { inputs, nameOf };
}

async function loadTable(
  name: string,
  { uses, known }: { uses: readonly TableUse[]; known: readonly KnownCondition[] },
  options: LoadOptions,
): Promise<EngineInput> {
  const resource = uses[0]?.resource ?? { id: "", kind: "", title: "" };
  // An access rule may read columns that the statement does not know.
  const original = options.details.find(({ id }) => id === resource.id) ?? resource;
  const details = { ...storedTypes(original, options), usage: undefined };
  const all = (resource.columns ?? []).map((column) => column.name);
  const isWhole = uses.some((use) => use.isWhole);
  const needed = all.filter((column) => isWhole || uses.some(({ columns }) => columns.has(column)));
  const columns = [...new Set(needed.length > 0 ? needed : all.slice(0, 1))];
  const where = known
    .map((condition) => conditionOf(condition, details))
    .filter((condition) => condition !== undefined)
    .reduce<Expression | undefined>(
      (both, each) =>
        both === undefined ? each : { op: "call", function: "and", arguments: [both, each] },
      undefined,
    );
  const plan: LogicalPlan = {
    version: 1,
    steps: [
      { name: "scan", op: "scan", resource: resource.id },
      ...(where === undefined
        ? []
        : [{ name: "filter", op: "filter" as const, from: "scan", where }]),
      {
        name: "project",
        op: "project",
        from: where === undefined ? "scan" : "filter",
        columns: columns.map((column) => ({ name: column, value: { op: "column", name: column } })),
      },
    ],
  };
  const { rows, bytes } = limitsOf(options.limits).eachSource;
  const result = await executePlan(plan, {
    ...options,
    details: [details],
    limits: { ...options.limits, rows, bytes },
  });
  return { name, columns: result.columns, batches: result.batches };
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

const comparisons: Readonly<Record<string, "eq" | "lt" | "le" | "gt" | "ge">> = {
  Eq: "eq",
  Lt: "lt",
  LtEq: "le",
  Gt: "gt",
  GtEq: "ge",
};

/** The condition in the plan language. Undefined if the two might differ in meaning. */
function conditionOf(
  { column, operator, literal }: KnownCondition,
  { columns = [] }: ResourceDetails,
): Expression | undefined {
  const { kind } = columnDataType(columns.find(({ name }) => name === column)?.type);
  const compared = Object.hasOwn(comparisons, operator) ? comparisons[operator] : undefined;
  if (compared === undefined) return undefined;
  const { SingleQuotedString: text, Number: number } = nodeOf(literal);
  const digits = listOf(number)[0];
  const value =
    kind === "text" && compared === "eq" && typeof text === "string"
      ? ({ op: "literal", type: "text", value: text } as const)
      : kind === "int" && typeof digits === "string" && /^\d{1,15}$/.test(digits)
        ? ({ op: "literal", type: "int", value: Number(digits) } as const)
        : kind === "date" && typeof text === "string" && /^\d{4}-\d\d-\d\d$/.test(text)
          ? ({ op: "literal", type: "date", value: text } as const)
          : undefined;
  if (value === undefined) return undefined;
  return { op: "call", function: compared, arguments: [{ op: "column", name: column }, value] };
}
