import { invalidExpression, PlanSyntaxError } from "./parse-issue.ts";
import { isAggregateName, type NamedAggregate, type NamedExpression } from "../plan/expression.ts";
import { joinKinds, type JoinKind, type PlanStep } from "../plan/logical-plan.ts";
import { readExpression } from "./parse-expression.ts";
import {
  readJoinKey,
  readNamedAggregate,
  readNamedExpression,
  readNameToken,
  readSortKey,
} from "./read-items.ts";
import { planLimits } from "./plan-limits.ts";
import type { TokenReader } from "./token-reader.ts";

interface Arrow {
  reader: TokenReader;
  /** The resource that a bare `scan` reads. */
  resource: string | undefined;
  steps: PlanStep[];
}

type Unnamed<Step> = Step extends PlanStep ? Omit<Step, "name"> : never;

const synonyms: Record<string, string> = {
  agg: "aggregate",
  where: "filter",
  select: "project",
  order: "sort",
  join: "inner_join",
};

/**
 * Reads the steps of an arrow form, `scan(id)→filter(...)→agg(...)`. `->` is the same arrow. Steps are named after their
 * operation and position. A `project` without columns is dropped.
 * @throws PlanSyntaxError
 */
export function readArrow(reader: TokenReader, resource: string | undefined): PlanStep[] {
  const arrow: Arrow = { reader, resource, steps: [] };
  readChain(arrow);
  reader.expectEnd();
  return arrow.steps;
}

/** Reads a chain and returns the name of its last step. */
function readChain(arrow: Arrow): string {
  const { reader } = arrow;
  return reader.nested(() => {
    let last = readArrowStep(arrow, "");
    while (reader.takeSymbol("→") || reader.takeSymbol("->")) last = readArrowStep(arrow, last);
    return last;
  });
}

function readArrowStep(arrow: Arrow, from: string): string {
  const { reader, steps } = arrow;
  const token = reader.peek();
  const written = token.kind === "word" ? token.value.toLowerCase() : "";
  const operation = Object.hasOwn(synonyms, written) ? (synonyms[written] ?? written) : written;
  const read = Object.hasOwn(readers, operation) ? readers[operation] : undefined;
  if (read === undefined) return reader.fail(`one of ${Object.keys(readers).join(", ")}`);
  reader.take();
  reader.countNode();
  if (from === "" && operation !== "scan" && operation !== "union")
    throw invalidExpression(`${written} has nothing to read from; a chain begins with scan.`);
  if (from !== "" && operation === "scan")
    throw invalidExpression(
      "scan begins a chain; a second resource comes in through join or union.",
    );
  const step = read(arrow, from);
  if (step === undefined) return from;
  const name = addStep(arrow, step);
  if (steps.length <= planLimits.steps) return name;
  const message = `The plan has more than ${planLimits.steps} steps.`;
  throw new PlanSyntaxError("limit_exceeded", message);
}

/** Names a step after its operation and position. Its inputs already have names. */
function addStep({ steps }: Arrow, step: Unnamed<PlanStep>): string {
  const name = `${step.op}${steps.length + 1}`;
  steps.push({ name, ...step });
  return name;
}

const readers: Record<string, (arrow: Arrow, from: string) => Unnamed<PlanStep> | undefined> = {
  scan: readScan,
  filter: ({ reader }, from) => ({
    op: "filter",
    from,
    where: inBrackets(reader, () => readExpression(reader)),
  }),
  project: ({ reader }, from) =>
    reader.isSymbol("(")
      ? { op: "project", from, columns: readSeries(reader, readNamedExpression) }
      : undefined,
  aggregate: readAggregation,
  sort: ({ reader }, from) => ({ op: "sort", from, by: readSeries(reader, readSortKey) }),
  limit({ reader }, from) {
    const [count = 0, offset] = readSeries(reader, readWhole);
    return { op: "limit", from, count, offset };
  },
  distinct({ reader }, from) {
    if (reader.takeSymbol("(")) reader.expectSymbol(")");
    return { op: "distinct", from };
  },
  union(arrow, from) {
    const others = readSeries(arrow.reader, () => readSource(arrow));
    const inputs = from === "" ? others : [from, ...others];
    if (inputs.length < 2) throw invalidExpression("A union needs at least two chains.");
    return { op: "union", from: inputs };
  },
  ...Object.fromEntries(
    joinKinds.map((kind) => [
      `${kind}_join`,
      (arrow: Arrow, from: string) => readJoin(arrow, from, kind),
    ]),
  ),
};

function readScan({ reader, resource }: Arrow): Unnamed<PlanStep> {
  if (!reader.isSymbol("(")) {
    if (resource !== undefined) return { op: "scan", resource };
    const message = "scan names no resource: write scan(id), or give the option resource.";
    throw new PlanSyntaxError("field_missing", message);
  }
  return inBrackets(reader, () => {
    const named = readResource(reader);
    const columns: string[] = [];
    while (reader.takeSymbol(",")) columns.push(readNameToken(reader));
    return { op: "scan", resource: named, columns: columns.length > 0 ? columns : undefined };
  });
}

/** A quoted id, or a bare one that ends at a space, comma or bracket. */
function readResource(reader: TokenReader): string {
  const { kind, value, at } = reader.peek();
  if (kind === "text" || kind === "name") return reader.take().value;
  const bare =
    /^[^\s,()'"]+/.exec(reader.text.slice(at, at + 300))?.[0] ??
    reader.fail(`a resource's id, not ${value}`);
  reader.jumpTo(at + bare.length);
  return bare;
}

function readAggregation({ reader }: Arrow, from: string): Unnamed<PlanStep> {
  const by: NamedExpression[] = [];
  const aggregates: NamedAggregate[] = [];
  readSeries(reader, () => {
    const { kind, value } = reader.peek();
    if (kind === "word" && reader.isSymbol("(", 1) && isAggregateName(value.toLowerCase()))
      aggregates.push(readNamedAggregate(reader));
    else by.push(readNamedExpression(reader));
  });
  return { op: "aggregate", from, by, aggregates };
}

function readJoin(arrow: Arrow, left: string, kind: JoinKind): Unnamed<PlanStep> {
  const { reader } = arrow;
  return inBrackets(reader, () => {
    const right = readSource(arrow);
    const on: { left: string; right: string }[] = [];
    while (reader.takeSymbol(",")) on.push(readJoinKey(reader));
    const prefix = reader.takeWord("as") ? readNameToken(reader) : undefined;
    if (on.length > 0) return { op: "join", kind, left, right, on, prefix };
    if (!reader.isSymbol(")")) reader.fail('")"');
    const message = "A join needs keys: join(id, left_column = right_column).";
    throw new PlanSyntaxError("field_missing", message);
  });
}

/** A chain that begins with scan or union, or a bare resource. */
function readSource(arrow: Arrow): string {
  const { reader } = arrow;
  if ((reader.isWord("scan") || reader.isWord("union")) && reader.isSymbol("(", 1))
    return readChain(arrow);
  return addStep(arrow, { op: "scan", resource: readResource(reader) });
}

function readSeries<T>(reader: TokenReader, read: (reader: TokenReader) => T): T[] {
  return inBrackets(reader, () => {
    const items = [read(reader)];
    while (reader.takeSymbol(",")) items.push(read(reader));
    return items;
  });
}

function inBrackets<T>(reader: TokenReader, read: () => T): T {
  reader.expectSymbol("(");
  const value = read();
  reader.expectSymbol(")");
  return value;
}

function readWhole(reader: TokenReader): number {
  const { kind, value } = reader.peek();
  if (kind !== "number" || !/^\d{1,15}$/.test(value)) reader.fail("a whole number");
  reader.take();
  return Number(value);
}
