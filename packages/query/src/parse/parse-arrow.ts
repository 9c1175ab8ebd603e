import { isAggregateName } from "../plan/expression.ts";
import { joinKinds } from "../plan/logical-plan.ts";
import { invalidExpression, PlanSyntaxError } from "./parse-issue.ts";
import type { TokenReader } from "./token-reader.ts";

/** A step as written in a document. */
type StepFields = Record<string, unknown>;

interface Arrow {
  reader: TokenReader;
  /** The resource that a bare `scan` reads. */
  resource: string | undefined;
  steps: StepFields[];
}

const synonyms: ReadonlyMap<string, string> = new Map([
  ["agg", "aggregate"],
  ["where", "filter"],
  ["select", "project"],
  ["order", "sort"],
  ["join", "inner_join"],
]);

/**
 * Splits an arrow form, `scan(id)→filter(...)→agg(...)`, into steps as a document would write them. `->` is
 * equivalent to the arrow. Steps are named after their operation and position. A `project` without columns is
 * dropped.
 * @throws PlanSyntaxError
 */
export function readArrow(reader: TokenReader, resource: string | undefined): StepFields[] {
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
    while (reader.accept("→") || reader.accept("->")) last = readArrowStep(arrow, last);
    return last;
  });
}

function readArrowStep(arrow: Arrow, from: string): string {
  const { reader } = arrow;
  const { text: written } = reader.peek();
  const read = operations.get(synonyms.get(written) ?? written);
  if (read === undefined) return reader.fail(`one of ${[...operations.keys()].join(", ")}`);
  reader.take();
  if (from === "" && written !== "scan" && written !== "union")
    throw invalidExpression(`${written} has nothing to read from; a chain begins with scan.`);
  if (from !== "" && written === "scan")
    throw invalidExpression(
      "scan begins a chain; a second resource comes in through join or union.",
    );
  const step = read(arrow, from);
  return step === undefined ? from : addStep(arrow, step);
}

/** Names a step after its operation and position. Its inputs already have names. */
function addStep({ steps }: Arrow, step: StepFields): string {
  const name = `${String(step["op"])}${steps.length + 1}`;
  steps.push({ name, ...step });
  return name;
}

type ReadOperation = (arrow: Arrow, from: string) => StepFields | undefined;

const operations: ReadonlyMap<string, ReadOperation> = new Map<string, ReadOperation>([
  ["scan", readScan],
  ["filter", ({ reader }, from) => ({ op: "filter", from, where: series(reader).join(", ") })],
  [
    "project",
    ({ reader }, from) =>
      reader.is("(") ? { op: "project", from, columns: series(reader) } : undefined,
  ],
  ["aggregate", readAggregation],
  ["sort", ({ reader }, from) => ({ op: "sort", from, by: series(reader) })],
  ["limit", readLimit],
  [
    "distinct",
    ({ reader }, from) => {
      if (reader.accept("(")) reader.expect(")");
      return { op: "distinct", from };
    },
  ],
  [
    "union",
    (arrow, from) => {
      const others = series(arrow.reader, () => readSource(arrow));
      return { op: "union", from: from === "" ? others : [from, ...others] };
    },
  ],
  ...joinKinds.map((kind): [string, ReadOperation] => [
    `${kind}_join`,
    (arrow, from) => readJoin(arrow, from, kind),
  ]),
]);

function readScan({ reader, resource }: Arrow): StepFields {
  if (reader.is("(")) {
    const [named, ...columns] = series(reader, readName);
    return { op: "scan", resource: named, ...(columns.length > 0 && { columns }) };
  }
  if (resource !== undefined) return { op: "scan", resource };
  const message = "scan names no resource: write scan(id), or give the option resource.";
  throw new PlanSyntaxError("field_missing", message);
}

/** Reads a name, or an id that ends at a comma or bracket, with or without quotes. */
function readName(reader: TokenReader): string {
  const { kind } = reader.peek();
  return kind === "text" || kind === "quoted" ? reader.take() : reader.takeText();
}

function readAggregation({ reader }: Arrow, from: string): StepFields {
  const items = series(reader);
  const isAggregate = (item: string): boolean =>
    isAggregateName(/^(\w+)\s*\(/.exec(item)?.[1]?.toLowerCase() ?? "");
  const by = items.filter((item) => !isAggregate(item));
  return { op: "aggregate", from, by, aggregates: items.filter(isAggregate) };
}

function readLimit({ reader }: Arrow, from: string): StepFields {
  const [count, offset, ...others] = series(reader).map((text) =>
    /^\d{1,15}$/.test(text) ? Number(text) : text,
  );
  if (others.length > 0) throw invalidExpression("limit takes a count and where to start.");
  return { op: "limit", from, count, ...(offset !== undefined && { offset }) };
}

function readJoin(arrow: Arrow, left: string, kind: string): StepFields {
  const { reader } = arrow;
  reader.expect("(");
  const right = readSource(arrow);
  const on: string[] = [];
  while (reader.accept(",")) on.push(reader.takeText("as"));
  const prefix = reader.accept("as") ? readName(reader) : undefined;
  reader.expect(")");
  if (on.length > 0) return { op: "join", kind, left, right, on, ...(prefix && { prefix }) };
  const message = "A join needs keys: join(id, left_column = right_column).";
  throw new PlanSyntaxError("field_missing", message);
}

/** Reads a chain that starts with scan or union, or a bare resource. */
function readSource(arrow: Arrow): string {
  const { reader } = arrow;
  if ((reader.is("scan") || reader.is("union")) && reader.is("(", 1)) return readChain(arrow);
  return addStep(arrow, { op: "scan", resource: readName(reader) });
}

/** Reads the items between brackets. By default, each is read as text. */
function series(
  reader: TokenReader,
  read: (reader: TokenReader) => string = () => reader.takeText(),
): string[] {
  reader.expect("(");
  const items = [read(reader)];
  while (reader.accept(",")) items.push(read(reader));
  reader.expect(")");
  return items;
}
