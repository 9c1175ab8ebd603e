import { isRecord } from "@ccl/core/json";
import { joinKinds, type PlanOperation, type PlanStep } from "../plan/logical-plan.ts";
import { quoted } from "./parse-issue.ts";
import { readExpression } from "./parse-expression.ts";
import {
  isEmptyList,
  readFields,
  readList,
  readName,
  readText,
  report,
  type Fields,
  type Read,
} from "./read-fields.ts";
import { readJoinKey, readNamedAggregate, readNamedExpression, readSortKey } from "./read-items.ts";
import type { TokenReader } from "./token-reader.ts";

/** Creates a reader for a step of a document. If `from` is absent, the previous step is used. */
export function readStep(index: number, previous: string | undefined): Read<PlanStep | undefined> {
  return (context, value, path) => {
    if (!isRecord(value)) {
      const message = `${quoted(value ?? null)} is not a step: write an object with name and op.`;
      return report(context, "step_invalid", path, message);
    }
    const op = String(value["op"]);
    if (!isOperation(op)) {
      const message = `${quoted(value["op"] ?? null)} is not an operation; there are ${Object.keys(readers).join(", ")}.`;
      return report(context, "step_invalid", [...path, "op"], message);
    }
    return readFields((fields) => {
      const name = fields.optional("name", readName) ?? `${op}${index + 1}`;
      fields.get("op", () => op);
      return readers[op](fields, name, inputOr(previous));
    })(context, value, path);
  };
}

const inputOr =
  (previous: string | undefined): Read<string> =>
  (context, value, path) => {
    const given = value ?? previous;
    if (given !== undefined) return readName(context, given, path);
    const message = "The first step is a scan; there is nothing before it to read from.";
    report(context, "field_missing", path, message);
    return "";
  };

/** Creates a reader for text in its own syntax, such as `sum(amount) as revenue`. */
const readWritten =
  <T>(wanted: string, read: (reader: TokenReader) => T): Read<T | undefined> =>
  (context, value, path) =>
    typeof value === "string"
      ? readText(context, value, path, read)
      : report(context, "step_invalid", path, `${quoted(value ?? null)} is not ${wanted}.`);

const column = readWritten('a column: write "value as name"', readNamedExpression);
const joinKey = readWritten('a key: write "left_column = right_column"', readJoinKey);
const sortKey = readWritten('a key: write "column desc"', readSortKey);
const aggregate = readWritten('an aggregate: write "sum(column) as name"', readNamedAggregate);
const condition = readWritten('an expression: write a string like "amount > 1"', readExpression);

/** Returns the text of a field as written in the document. */
const asWritten: Read<string> = (_, value) =>
  Array.isArray(value) ? value.join(", ") : String(value ?? "");

const wholeNumber: Read<number> = (context, value, path) => {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  const message = `${path.at(-1)} is a whole number from 0, not ${quoted(value ?? null)}.`;
  report(context, "step_invalid", path, message);
  return 0;
};

/** Readers for the fields of each operation. `from` is read separately. */
const readers: Record<
  PlanOperation,
  (fields: Fields, name: string, from: Read<string>) => PlanStep | undefined
> = {
  scan: ({ get, optional }, name) => ({
    name,
    op: "scan",
    resource: get("resource", readName),
    columns: optional("columns", readList(readName)),
  }),
  filter({ get }, name, from) {
    const input = get("from", from);
    const where = get("where", condition);
    return where && { name, op: "filter", from: input, where, text: get("where", asWritten) };
  },
  project: ({ get }, name, from) => ({
    name,
    op: "project",
    from: get("from", from),
    columns: get("columns", readList(column)),
    text: get("columns", asWritten),
  }),
  join({ get, optional, fail }, name, from) {
    const given = get("kind", (_, value) => value ?? "inner");
    const kind = joinKinds.find((known) => known === given);
    if (kind === undefined) {
      const message = `${quoted(given)} is not a join; there are ${joinKinds.join(", ")}.`;
      fail("step_invalid", message, "kind");
    }
    return {
      name,
      op: "join",
      kind: kind ?? "inner",
      left: get("left", from),
      right: get("right", readName),
      on: get(
        "on",
        readList(joinKey, { count: 1, message: "A join needs at least one pair of keys." }),
      ),
      prefix: optional("prefix", readName),
    };
  },
  aggregate({ get, optional, fail }, name, from) {
    const input = get("from", from);
    const by = optional("by", readList(column)) ?? [];
    const aggregates = optional("aggregates", readList(aggregate)) ?? [];
    if (get("by", isEmptyList) && get("aggregates", isEmptyList))
      fail("field_missing", "An aggregate needs groups (by) or aggregates.");
    const groups = get("by", asWritten);
    const values = get("aggregates", asWritten) || "nothing";
    const text = groups === "" ? values : `${values} by ${groups}`;
    return { name, op: "aggregate", from: input, by, aggregates, text };
  },
  sort: ({ get }, name, from) => ({
    name,
    op: "sort",
    from: get("from", from),
    by: get("by", readList(sortKey, { count: 1, message: "A sort needs at least one key." })),
  }),
  limit: ({ get, optional }, name, from) => ({
    name,
    op: "limit",
    from: get("from", from),
    count: get("count", wholeNumber),
    offset: optional("offset", wholeNumber),
  }),
  union: ({ get }, name) => ({
    name,
    op: "union",
    from: get(
      "from",
      readList(readName, {
        count: 2,
        message: "A union needs at least two steps to read from.",
      }),
    ),
  }),
  distinct: ({ get }, name, from) => ({ name, op: "distinct", from: get("from", from) }),
};

function isOperation(op: string): op is PlanOperation {
  return Object.hasOwn(readers, op);
}
