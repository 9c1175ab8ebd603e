import { isRecord } from "@ccl/core/json";
import {
  isAggregateName,
  type AggregateFunction,
  type NamedAggregate,
  type NamedExpression,
} from "../plan/expression.ts";
import type { JoinKind, PlanStep, SortKey } from "../plan/logical-plan.ts";
import { quoted, type IssuePath } from "./parse-issue.ts";
import { readExpressionField } from "./read-expression-tree.ts";
import {
  checkFields,
  readList,
  readName,
  readText,
  report,
  type DocumentObject,
  type ReadContext,
} from "./read-fields.ts";
import { readJoinKey, readNamedAggregate, readNamedExpression, readSortKey } from "./read-items.ts";

/** Where a step stands, and what an absent `from` means. */
export interface StepPlace {
  path: IssuePath;
  index: number;
  /** The step before. */
  previous: string | undefined;
}

interface StepInput extends StepPlace {
  context: ReadContext;
  object: DocumentObject;
  name: string;
}

const readers: Record<
  string,
  { fields: readonly string[]; read(input: StepInput): PlanStep | undefined }
> = {
  scan: { fields: ["resource", "columns"], read: readScan },
  filter: { fields: ["from", "where"], read: readFilter },
  project: { fields: ["from", "columns"], read: readProject },
  join: { fields: ["kind", "left", "right", "on", "prefix"], read: readJoin },
  aggregate: { fields: ["from", "by", "aggregates"], read: readAggregateStep },
  sort: { fields: ["from", "by"], read: readSort },
  limit: { fields: ["from", "count", "offset"], read: readLimit },
  union: { fields: ["from"], read: readUnion },
  distinct: { fields: ["from"], read: readDistinct },
};

/** A step of a document; undefined where it does not read. */
export function readStep(
  context: ReadContext,
  value: unknown,
  place: StepPlace,
): PlanStep | undefined {
  const { path } = place;
  if (!isRecord(value))
    return report(context, "step_invalid", {
      path,
      message: `${quoted(value ?? null)} is no step: an object with name and op.`,
    });
  const op = String(value["op"]);
  const reader = Object.hasOwn(readers, op) ? readers[op] : undefined;
  if (reader === undefined) {
    const message = `${quoted(value["op"] ?? null)} is no operation; there are ${Object.keys(readers).join(", ")}.`;
    return report(context, "step_invalid", { path: [...path, "op"], message });
  }
  checkFields(context, value, { path, known: ["name", "op", ...reader.fields] });
  const name =
    value["name"] === undefined || value["name"] === null
      ? `${op}${place.index + 1}`
      : readName(context, value["name"], [...path, "name"]);
  return name === undefined ? undefined : reader.read({ ...place, context, object: value, name });
}

function fromOf(
  { context, object, path, previous }: StepInput,
  field: "from" | "left" = "from",
): string | undefined {
  const given = object[field] ?? previous;
  if (given !== undefined) return readName(context, given, [...path, field]);
  return report(context, "field_missing", {
    path: [...path, field],
    message: "The first step is a scan; there is nothing before it to read from.",
  });
}

/** Each item of a list by its own rule; undefined where the list or one of them does not read. */
function readItems<T>(
  input: StepInput,
  field: string,
  read: (item: unknown, path: IssuePath) => T | undefined,
): T[] | undefined {
  const path = [...input.path, field];
  const list = readList(input.context, input.object[field], path);
  if (list === undefined) return undefined;
  const items = list.flatMap((item, index) => {
    input.context.count.nodes += 1;
    return read(item, [...path, index]) ?? [];
  });
  if (input.context.count.nodes > input.context.limits.nodes) {
    return report(input.context, "limit_exceeded", {
      path,
      message: `The plan has more than ${input.context.limits.nodes} parts.`,
    });
  }
  return items.length === list.length ? items : undefined;
}

function readScan(input: StepInput): PlanStep | undefined {
  const { context, object, path, name } = input;
  const resource = readName(context, object["resource"], [...path, "resource"]);
  const isAll = object["columns"] === undefined || object["columns"] === null;
  const columns = isAll
    ? undefined
    : readItems(input, "columns", (item, at) => readName(context, item, at));
  if (resource === undefined || (!isAll && columns === undefined)) return undefined;
  return { name, op: "scan", resource, columns };
}

function readFilter(input: StepInput): PlanStep | undefined {
  const from = fromOf(input);
  const where = readExpressionField(input.context, input.object["where"], [...input.path, "where"]);
  return from === undefined || where === undefined
    ? undefined
    : { name: input.name, op: "filter", from, where };
}

function readProject(input: StepInput): PlanStep | undefined {
  const from = fromOf(input);
  const columns = readItems(input, "columns", (item, path) => namedOf(input.context, item, path));
  return from === undefined || columns === undefined
    ? undefined
    : { name: input.name, op: "project", from, columns };
}

function namedOf(
  context: ReadContext,
  item: unknown,
  path: IssuePath,
): NamedExpression | undefined {
  if (typeof item === "string") return readText(context, item, { path, read: readNamedExpression });
  if (!isRecord(item))
    return report(context, "step_invalid", {
      path,
      message: `${quoted(item ?? null)} is no column: write "value as name".`,
    });
  checkFields(context, item, { path, known: ["name", "value"] });
  const name = readName(context, item["name"], [...path, "name"]);
  const value = readExpressionField(context, item["value"], [...path, "value"]);
  return name === undefined || value === undefined ? undefined : { name, value };
}

function readJoin(input: StepInput): PlanStep | undefined {
  const { context, object, path, name } = input;
  const kind = joinKindOf(object["kind"]);
  if (kind === undefined)
    report(context, "step_invalid", {
      path: [...path, "kind"],
      message: `${quoted(object["kind"])} is no join; there are inner, left, semi, anti.`,
    });
  const left = fromOf(input, "left");
  const right = readName(context, object["right"], [...path, "right"]);
  const on = readItems(input, "on", (item, at) => {
    if (typeof item === "string") return readText(context, item, { path: at, read: readJoinKey });
    if (!isRecord(item))
      return report(context, "step_invalid", {
        path: at,
        message: `${quoted(item ?? null)} is no key: write "left_column = right_column".`,
      });
    checkFields(context, item, { path: at, known: ["left", "right"] });
    const leftKey = readName(context, item["left"], [...at, "left"]);
    const rightKey = readName(context, item["right"], [...at, "right"]);
    return leftKey === undefined || rightKey === undefined
      ? undefined
      : { left: leftKey, right: rightKey };
  });
  const prefix =
    object["prefix"] === undefined || object["prefix"] === null
      ? undefined
      : readName(context, object["prefix"], [...path, "prefix"]);
  if (on?.length === 0)
    return report(context, "field_missing", {
      path: [...path, "on"],
      message: "A join needs at least one pair of keys.",
    });
  if (kind === undefined || left === undefined || right === undefined || on === undefined)
    return undefined;
  return { name, op: "join", kind, left, right, on, prefix };
}

function joinKindOf(value: unknown): JoinKind | undefined {
  if (value === undefined || value === null) return "inner";
  return (["inner", "left", "semi", "anti"] as const).find((kind) => kind === value);
}

function readAggregateStep(input: StepInput): PlanStep | undefined {
  const from = fromOf(input);
  const { context, object } = input;
  const isAbsent = (field: string): boolean =>
    object[field] === undefined || object[field] === null;
  const by = isAbsent("by")
    ? []
    : readItems(input, "by", (item, path) => namedOf(context, item, path));
  const aggregates = isAbsent("aggregates")
    ? []
    : readItems(input, "aggregates", (item, path) => aggregateOf(context, item, path));
  if (from === undefined || by === undefined || aggregates === undefined) return undefined;
  if (by.length + aggregates.length === 0) {
    return report(context, "field_missing", {
      path: input.path,
      message: "An aggregate needs groups (by) or aggregates.",
    });
  }
  return { name: input.name, op: "aggregate", from, by, aggregates };
}

function aggregateOf(
  context: ReadContext,
  item: unknown,
  path: IssuePath,
): NamedAggregate | undefined {
  if (typeof item === "string") return readText(context, item, { path, read: readNamedAggregate });
  if (!isRecord(item))
    return report(context, "step_invalid", {
      path,
      message: `${quoted(item ?? null)} is no aggregate: write "sum(column) as name".`,
    });
  checkFields(context, item, { path, known: ["name", "function", "argument"] });
  const name = readName(context, item["name"], [...path, "name"]);
  const applied = aggregateFunctionOf(item["function"]);
  if (applied === undefined) {
    const message = `${quoted(item["function"] ?? null)} is no aggregate; there are count, count_distinct, sum, avg, min, max.`;
    return report(context, "step_invalid", { path: [...path, "function"], message });
  }
  const isBare = item["argument"] === undefined || item["argument"] === null;
  if (isBare && applied !== "count")
    return report(context, "field_missing", {
      path: [...path, "argument"],
      message: `${applied} needs an argument.`,
    });
  const argument = isBare
    ? undefined
    : readExpressionField(context, item["argument"], [...path, "argument"]);
  if (name === undefined || (!isBare && argument === undefined)) return undefined;
  return { name, function: applied, argument };
}

function aggregateFunctionOf(value: unknown): AggregateFunction | undefined {
  return typeof value === "string" && isAggregateName(value) ? value : undefined;
}

function readSort(input: StepInput): PlanStep | undefined {
  const from = fromOf(input);
  const by = readItems(input, "by", (item, path): SortKey | undefined => {
    if (typeof item === "string") return readText(input.context, item, { path, read: readSortKey });
    if (!isRecord(item))
      return report(input.context, "step_invalid", {
        path,
        message: `${quoted(item ?? null)} is no key: write "column desc".`,
      });
    checkFields(input.context, item, { path, known: ["column", "direction", "nulls"] });
    const { direction, nulls } = item;
    const isKnown = [undefined, null, "asc", "desc"].includes(
      direction as string | null | undefined,
    );
    const areKnown = [undefined, null, "first", "last"].includes(
      nulls as string | null | undefined,
    );
    if (!isKnown || !areKnown)
      return report(input.context, "step_invalid", {
        path,
        message: "direction is asc or desc, nulls is first or last.",
      });
    const column = readName(input.context, item["column"], [...path, "column"]);
    if (column === undefined) return undefined;
    return {
      column,
      direction: direction === "desc" ? "desc" : "asc",
      nulls: nulls === "first" ? "first" : "last",
    };
  });
  if (by?.length === 0)
    return report(input.context, "field_missing", {
      path: [...input.path, "by"],
      message: "A sort needs at least one key.",
    });
  return from === undefined || by === undefined
    ? undefined
    : { name: input.name, op: "sort", from, by };
}

function readLimit(input: StepInput): PlanStep | undefined {
  const from = fromOf(input);
  const count = wholeNumber(input, "count");
  const hasOffset = input.object["offset"] !== undefined && input.object["offset"] !== null;
  const offset = hasOffset ? wholeNumber(input, "offset") : undefined;
  if (from === undefined || count === undefined || (hasOffset && offset === undefined))
    return undefined;
  return { name: input.name, op: "limit", from, count, offset };
}

function wholeNumber({ context, object, path }: StepInput, field: string): number | undefined {
  const value = object[field];
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  return report(context, "step_invalid", {
    path: [...path, field],
    message: `${field} is a whole number from 0, not ${quoted(value ?? null)}.`,
  });
}

function readUnion(input: StepInput): PlanStep | undefined {
  const from = readItems(input, "from", (item, path) => readName(input.context, item, path));
  if (from === undefined) return undefined;
  if (from.length >= 2) return { name: input.name, op: "union", from };
  return report(input.context, "field_missing", {
    path: [...input.path, "from"],
    message: "A union needs at least two steps to read from.",
  });
}

function readDistinct(input: StepInput): PlanStep | undefined {
  const from = fromOf(input);
  return from === undefined ? undefined : { name: input.name, op: "distinct", from };
}
