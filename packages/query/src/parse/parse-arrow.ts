import type { NamedAggregate, NamedExpression } from "../plan/expression.ts";
import type { JoinKind, PlanStep } from "../plan/logical-plan.ts";
import { readExpression } from "./parse-expression.ts";
import { PlanSyntaxError } from "./plan-syntax-error.ts";
import {
  readJoinKey,
  readNamedAggregate,
  readNamedExpression,
  readNameToken,
  readSortKey,
} from "./read-items.ts";
import type { TokenReader } from "./token-reader.ts";

/** What a bare `scan` reads. */
export interface ArrowOptions {
  resource?: string | undefined;
}

interface ArrowState {
  reader: TokenReader;
  options: ArrowOptions;
  steps: PlanStep[];
}

const synonyms: Record<string, string> = {
  agg: "aggregate",
  where: "filter",
  select: "project",
  order: "sort",
  join: "inner_join",
};
const joinKinds: Record<string, JoinKind> = {
  inner_join: "inner",
  left_join: "left",
  semi_join: "semi",
  anti_join: "anti",
};

/**
 * The steps of an arrow form, `scan(id)→filter(...)→agg(...)`; `->` is the same arrow. Steps are named after their
 * operation and place. A `project` without columns changes nothing.
 * @throws PlanSyntaxError
 */
export function readArrow(reader: TokenReader, options: ArrowOptions): PlanStep[] {
  const state: ArrowState = { reader, options, steps: [] };
  readChain(state);
  reader.expectEnd();
  return state.steps;
}

/** Reads a chain and gives the name of its last step. */
function readChain(state: ArrowState): string {
  const { reader } = state;
  return reader.nested(() => {
    let last = readArrowStep(state, undefined);
    while (reader.takeSymbol("→") || reader.takeSymbol("->")) last = readArrowStep(state, last);
    if (last === undefined)
      throw new PlanSyntaxError("expression_invalid", "A chain begins with scan.");
    return last;
  });
}

function readArrowStep(state: ArrowState, from: string | undefined): string | undefined {
  const { reader } = state;
  const token = reader.peek();
  const written = token.kind === "word" ? token.value.toLowerCase() : "";
  const operation = Object.hasOwn(synonyms, written) ? (synonyms[written] ?? written) : written;
  const read = Object.hasOwn(readers, operation) ? readers[operation] : undefined;
  if (read === undefined) return reader.fail(`one of ${Object.keys(readers).join(", ")}`);
  reader.take();
  reader.countNode();
  if (from === undefined && operation !== "scan" && operation !== "union") {
    throw new PlanSyntaxError(
      "expression_invalid",
      `${written} has nothing to read from; a chain begins with scan.`,
    );
  }
  if (from !== undefined && operation === "scan") {
    throw new PlanSyntaxError(
      "expression_invalid",
      "scan begins a chain; a second resource comes in through join or union.",
    );
  }
  const step = read({
    ...state,
    from: from ?? "",
    nextName: () => `${operation.endsWith("_join") ? "join" : operation}${state.steps.length + 1}`,
  });
  if (step === undefined) return from;
  state.steps.push(step);
  if (state.steps.length <= reader.limits.steps) return step.name;
  throw new PlanSyntaxError(
    "limit_exceeded",
    `The plan has more than ${reader.limits.steps} steps.`,
  );
}

interface ArrowInput extends ArrowState {
  from: string;
  /** The step's name; asked for after its inputs were read. */
  nextName(): string;
}

const readers: Record<string, (input: ArrowInput) => PlanStep | undefined> = {
  scan: readScan,
  filter: ({ reader, from, nextName }) => {
    const where = inBrackets(reader, () => readExpression(reader));
    return { name: nextName(), op: "filter", from, where };
  },
  project: ({ reader, from, nextName }) => {
    if (!reader.isSymbol("(")) return undefined;
    return {
      name: nextName(),
      op: "project",
      from,
      columns: readSeries(reader, readNamedExpression),
    };
  },
  aggregate: readAggregation,
  sort: ({ reader, from, nextName }) => ({
    name: nextName(),
    op: "sort",
    from,
    by: readSeries(reader, readSortKey),
  }),
  limit: ({ reader, from, nextName }) => {
    const [count = 0, offset] = readSeries(reader, readWhole);
    return { name: nextName(), op: "limit", from, count, offset };
  },
  distinct: ({ reader, from, nextName }) => {
    if (reader.takeSymbol("(")) reader.expectSymbol(")");
    return { name: nextName(), op: "distinct", from };
  },
  union: readUnion,
  inner_join: (input) => readJoin(input, "inner_join"),
  left_join: (input) => readJoin(input, "left_join"),
  semi_join: (input) => readJoin(input, "semi_join"),
  anti_join: (input) => readJoin(input, "anti_join"),
};

function readScan({ reader, options, nextName }: ArrowInput): PlanStep {
  if (!reader.takeSymbol("(")) {
    if (options.resource !== undefined)
      return { name: nextName(), op: "scan", resource: options.resource };
    throw new PlanSyntaxError(
      "field_missing",
      "scan names no resource: write scan(id), or give the option resource.",
    );
  }
  const resource = readResource(reader);
  const columns: string[] = [];
  while (reader.takeSymbol(",")) columns.push(readNameToken(reader));
  reader.expectSymbol(")");
  return {
    name: nextName(),
    op: "scan",
    resource,
    columns: columns.length > 0 ? columns : undefined,
  };
}

/** A quoted id, or one as it stands up to a space, comma or bracket. */
function readResource(reader: TokenReader): string {
  const { kind, value, at } = reader.peek();
  if (kind === "text" || kind === "name") return reader.take().value;
  const bare =
    /^[^\s,()'"]+/.exec(reader.text.slice(at, at + 300))?.[0] ??
    reader.fail(`a resource's id, not ${value}`);
  reader.jumpTo(at + bare.length);
  return bare;
}

function readAggregation({ reader, from, nextName }: ArrowInput): PlanStep {
  const by: NamedExpression[] = [];
  const aggregates: NamedAggregate[] = [];
  readSeries(reader, () => {
    const { kind, value } = reader.peek();
    const isAggregate =
      kind === "word" && reader.isSymbol("(", 1) && aggregateNames.has(value.toLowerCase());
    if (isAggregate) aggregates.push(readNamedAggregate(reader));
    else by.push(readNamedExpression(reader));
  });
  return { name: nextName(), op: "aggregate", from, by, aggregates };
}

const aggregateNames: ReadonlySet<string> = new Set([
  "count",
  "count_distinct",
  "sum",
  "avg",
  "min",
  "max",
]);

function readUnion(input: ArrowInput): PlanStep {
  const { reader, from } = input;
  const others = readSeries(reader, () => readSource(input));
  const inputs = from === "" ? others : [from, ...others];
  if (inputs.length < 2)
    throw new PlanSyntaxError("expression_invalid", "A union needs at least two chains.");
  return { name: input.nextName(), op: "union", from: inputs };
}

function readJoin(input: ArrowInput, operation: string): PlanStep {
  const { reader, from } = input;
  reader.expectSymbol("(");
  const right = readSource(input);
  const on: { left: string; right: string }[] = [];
  while (reader.takeSymbol(",")) on.push(readJoinKey(reader));
  const prefix = reader.takeWord("as") ? readNameToken(reader) : undefined;
  reader.expectSymbol(")");
  if (on.length === 0)
    throw new PlanSyntaxError(
      "field_missing",
      "A join needs keys: join(id, left_column = right_column).",
    );
  const kind = joinKinds[operation] ?? "inner";
  return {
    name: input.nextName(),
    op: "join",
    kind,
    left: from,
    right,
    on,
    prefix,
  };
}

/** A chain that begins with scan or union, or a bare resource. */
function readSource(input: ArrowInput): string {
  const { reader } = input;
  if ((reader.isWord("scan") || reader.isWord("union")) && reader.isSymbol("(", 1))
    return readChain(input);
  const resource = readResource(reader);
  const step: PlanStep = { name: `scan${input.steps.length + 1}`, op: "scan", resource };
  input.steps.push(step);
  return step.name;
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
