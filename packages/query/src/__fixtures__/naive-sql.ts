import type { Expression, NamedAggregate } from "../plan/expression.ts";
import type { LogicalPlan, PlanStep } from "../plan/logical-plan.ts";

const id = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/**
 * Writes one DuckDB query for a plan, with a subquery for each step. It shares no code with the
 * package's own compiler.
 */
export function naiveSql(plan: LogicalPlan, tables: Record<string, string>, now: string): string {
  const queries = new Map<string, { sql: string; columns: string[]; order: string }>();
  let last = "";
  for (const step of plan.steps) {
    queries.set(step.name, query(step, queries, { tables, now }));
    last = step.name;
  }
  const { sql, columns, order } = queries.get(last) ?? { sql: "", columns: [], order: "" };
  return `select ${columns.map((name) => `cast(${id(name)} as varchar) as ${id(name)}`).join(", ")} from (${sql}) q ${order}`;
}

interface Query {
  sql: string;
  columns: string[];
  order: string;
}

function query(
  step: PlanStep,
  queries: ReadonlyMap<string, Query>,
  env: { tables: Record<string, string>; now: string },
): Query {
  const input = (name: string): Query => queries.get(name) ?? { sql: "", columns: [], order: "" };
  const e = (expression: Expression): string => write(expression, env.now);
  switch (step.op) {
    case "scan": {
      const columns = step.columns ?? [];
      return { sql: `select ${columns.map(id).join(", ")} from ${env.tables[step.resource]}`, columns, order: "" };
    }
    case "filter": {
      const from = input(step.from);
      return { ...from, sql: `select * from (${from.sql}) q where ${e(step.where)}` };
    }
    case "project": {
      const from = input(step.from);
      const columns = step.columns.map(({ name }) => name);
      return {
        sql: `select ${step.columns.map(({ name, value }) => `${e(value)} as ${id(name)}`).join(", ")} from (${from.sql}) q`,
        columns,
        order: "",
      };
    }
    case "aggregate": {
      const from = input(step.from);
      const keys = step.by.map(({ name, value }) => `${e(value)} as ${id(name)}`);
      const values = step.aggregates.map((aggregate) => `${aggregated(aggregate, e)} as ${id(aggregate.name)}`);
      const groups = step.by.map((_, index) => String(index + 1));
      const tail = groups.length > 0 ? ` group by ${groups.join(", ")}` : "";
      const columns = [...step.by, ...step.aggregates].map(({ name }) => name);
      return { sql: `select ${[...keys, ...values].join(", ")} from (${from.sql}) q${tail}`, columns, order: "" };
    }
    case "join": {
      const left = input(step.left);
      const right = input(step.right);
      const on = step.on.map((key) => `l.${id(key.left)} = r.${id(key.right)}`).join(" and ");
      if (step.kind === "semi" || step.kind === "anti") {
        return {
          ...left,
          order: "",
          sql: `select l.* from (${left.sql}) l ${step.kind} join (${right.sql}) r on ${on}`,
        };
      }
      const prefixed = right.columns.map((name) => `r.${id(name)} as ${id((step.prefix ?? "") + name)}`);
      const columns = [...left.columns, ...right.columns.map((name) => (step.prefix ?? "") + name)];
      return {
        sql: `select l.*, ${prefixed.join(", ")} from (${left.sql}) l ${step.kind} join (${right.sql}) r on ${on}`,
        columns,
        order: "",
      };
    }
    case "sort": {
      const from = input(step.from);
      return {
        ...from,
        order: `order by ${step.by.map((key) => `q.${id(key.column)} ${key.direction} nulls ${key.nulls}`).join(", ")}`,
      };
    }
    case "limit": {
      const from = input(step.from);
      return {
        ...from,
        sql: `select * from (${from.sql}) q ${from.order} limit ${step.count} offset ${step.offset ?? 0}`,
      };
    }
    case "union":
      return {
        ...input(step.from[0] ?? ""),
        order: "",
        sql: step.from.map((name) => `(${input(name).sql})`).join(" union all by name "),
      };
    case "distinct":
      return { ...input(step.from), order: "", sql: `select distinct * from (${input(step.from).sql}) q` };
  }
}

function aggregated({ function: applied, argument }: NamedAggregate, e: (expression: Expression) => string): string {
  if (argument === undefined) return "count(*)";
  if (applied === "count_distinct") return `count(distinct ${e(argument)})`;
  // DuckDB's own avg rounds the same mean differently for other numbers of rows, which a later
  // distinct would reveal.
  if (applied === "avg") return `(sum(${e(argument)})::double / nullif(count(${e(argument)}), 0))`;
  return `${applied}(${e(argument)})`;
}

const operators: Record<string, string> = {
  eq: "=",
  ne: "<>",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
  add: "+",
  subtract: "-",
  multiply: "*",
  and: "and",
  or: "or",
  concat: "||",
};

function write(expression: Expression, now: string): string {
  const e = (part: Expression): string => write(part, now);
  switch (expression.op) {
    case "column":
      return id(expression.name);
    case "literal": {
      const { type, value } = expression;
      if (type === "text") return text(String(value));
      if (type === "int") return `${value}::bigint`;
      if (type === "float") return `${value}::double`;
      if (type === "date" || type === "timestamp") return `${type} ${text(String(value))}`;
      return type === "timestamptz" ? `timestamp ${text(String(value).replace("Z", ""))}` : `${value}`;
    }
    case "cast":
      if (expression.type === "text") return `(${e(expression.value)})::varchar`;
      // A plan rounds halves away from zero. DuckDB's own casts of doubles round them to even.
      if (expression.type === "int") return `(round((${e(expression.value)})::decimal(30,6), 0))::bigint`;
      return expression.type.startsWith("decimal")
        ? `(round((${e(expression.value)})::decimal(30,6), 2))::${expression.type}`
        : `(${e(expression.value)})::${expression.type === "float" ? "double" : expression.type}`;
    case "in":
      return `(${e(expression.value)} in (${expression.list.map(e).join(", ")}))`;
    case "case":
      return `(case ${expression.branches.map(({ when, value }) => `when ${e(when)} then ${e(value)}`).join(" ")}${expression.otherwise ? ` else ${e(expression.otherwise)}` : ""} end)`;
    case "call":
      return writeCall(expression.function, expression.arguments, e) ?? now;
  }
}

function writeCall(name: string, parts: readonly Expression[], e: (part: Expression) => string): string | undefined {
  const [a = "", b = "", c = ""] = parts.map(e);
  const zone = parts.at(-1)?.op === "literal" ? e(parts.at(-1) ?? { op: "column", name: "" }) : "";
  const operator = operators[name];
  if (operator !== undefined) return `(${parts.map(e).join(` ${operator} `)})`;
  const inZone = (value: string): string => `((${value} at time zone 'UTC') at time zone ${zone})`;
  switch (name) {
    case "divide":
      return `(case when ${b} = 0 then null else ${a}::double / ${b}::double end)`;
    case "int_divide":
      return `(case when ${b} = 0 then null else trunc(${a}::hugeint // ${b}::hugeint)::bigint end)`;
    case "modulo":
      return `(case when ${b} = 0 then null else ${a} % ${b} end)`;
    case "not":
      return `(not ${a})`;
    case "negate":
      return `(-(${a}))`;
    case "is_null":
      return `(${a} is null)`;
    case "is_not_null":
      return `(${a} is not null)`;
    case "between":
      return `(${a} >= ${b} and ${a} <= ${c})`;
    case "coalesce":
      return `coalesce(${a}, ${b})`;
    case "null_if":
      return `(case when ${a} = ${b} then null else ${a} end)`;
    case "round":
      // The branch that is never taken determines the type, so a decimal remains a decimal.
      return `(case when true then round((${a})::decimal(30,9), ${parts[1]?.op === "literal" ? parts[1].value : 0}) else ${a} end)`;
    case "contains":
      return `(instr(${a}, ${b}) > 0 or ${a} is not null and ${b} = '')`;
    case "starts_with":
      return `(left(${a}, length(${b})) = ${b})`;
    case "ends_with":
      return `(right(${a}, length(${b})) = ${b})`;
    case "like":
      return `(${a} like ${b} escape '\\')`;
    case "substring":
      return `array_slice(${a}, ${b}, ${b} + ${c} - 1)`;
    case "date":
      return parts.length > 1 ? `${inZone(a)}::date` : `${a}::date`;
    case "local":
      return inZone(a);
    case "instant":
      return `((${a} at time zone ${zone}) at time zone 'UTC')`;
    case "date_trunc":
      return `date_trunc(${a}, ${parts.length > 2 ? inZone(b) : `${b}::timestamp`})::timestamp`;
    case "extract": {
      const field = a === "'weekday'" ? "'isodow'" : a;
      return `date_part(${field}, ${parts.length > 2 ? inZone(b) : `${b}::timestamp`})::bigint`;
    }
    case "date_add":
      // The plan generator writes the units of dates in capitals.
      return `(${a} + interval '${b.replace("::bigint", "")} ${c.slice(1, -1).toLowerCase()}')${/[A-Z]/.test(c) ? "::date" : ""}`;
    case "days_between":
      return `(${b} - ${a})::bigint`;
    case "now":
      return undefined;
    default:
      return `${name}(${parts.map(e).join(", ")})`;
  }
}
