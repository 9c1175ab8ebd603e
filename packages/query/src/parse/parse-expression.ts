import { formatCount } from "@ccl/core";
import { invalidExpression, PlanSyntaxError } from "./parse-issue.ts";
import {
  isAggregateName,
  type AggregateFunction,
  type Expression,
  type LiteralExpression,
  type NamedAggregate,
} from "../plan/expression.ts";
import {
  functionNames,
  functionOf,
  isFunctionName,
  operators,
  type FunctionName,
} from "../plan/functions.ts";
import { parseDataType, timeKinds, typeName } from "../plan/data-type.ts";
import { literalOf } from "./literal-value.ts";
import { nearestHint } from "../plan/nearest-name.ts";
import { lowered } from "../plan/lowered.ts";
import { reservedWords } from "../plan/reserved-words.ts";
import { planLimits } from "./plan-limits.ts";
import type { TokenReader } from "./token-reader.ts";

/** Binary operators by their symbol or keyword. */
const binary: ReadonlyMap<string, { name: FunctionName; level: number }> = new Map(
  Object.keys(operators)
    .filter(isFunctionName)
    .flatMap((name) => {
      const { symbol = "", level = 0 } = operators[name] ?? {};
      const spellings = name === "eq" ? ["=", "=="] : name === "ne" ? ["<>", "!="] : [symbol];
      return spellings.map((spelling) => [spelling, { name, level }] as const);
    }),
);
// A map, because a model may call a function named `constructor`.
const synonyms: ReadonlyMap<string, FunctionName> = new Map([
  ["nullif", "null_if"],
  ["substr", "substring"],
  ["mod", "modulo"],
  ["div", "int_divide"],
  ["date_part", "extract"],
  ["ifnull", "coalesce"],
]);

/**
 * Reads an expression at the reader's position. Precedence from low to high: OR, AND, NOT, comparison, + - ||, * /
 * %.
 */
export function readExpression(reader: TokenReader): Expression {
  return reader.nested(() => readLevel(reader, 1));
}

/** Reads operators of this level and above. `a || b || c` becomes one call, as do chains of `and` and `or`. */
function readLevel(reader: TokenReader, level: number): Expression {
  if (level === 3) return readNot(reader);
  if (level === 4) return readComparison(reader);
  if (level > 6) return readUnary(reader);
  let left = readLevel(reader, level + 1);
  for (let depth = 0; ; depth++) {
    const { text } = reader.peek();
    const operator = reader.is(text) ? binary.get(text) : undefined;
    if (operator?.level !== level) return left;
    if (depth >= planLimits.depth) {
      throw new PlanSyntaxError(
        "limit_exceeded",
        `More than ${planLimits.depth} operators in a row; group some in a step before.`,
      );
    }
    reader.take();
    const parts = [left, readLevel(reader, level + 1)];
    if (level < 3 || operator.name === "concat")
      while (reader.accept(text)) parts.push(readLevel(reader, level + 1));
    left = call(reader, operator.name, parts);
  }
}

function readNot(reader: TokenReader): Expression {
  if (!reader.accept("not")) return readComparison(reader);
  return reader.nested(() => call(reader, "not", [readNot(reader)]));
}

function readComparison(reader: TokenReader): Expression {
  const left = readLevel(reader, 5);
  const { kind, text } = reader.peek();
  const operator = kind === "symbol" ? binary.get(text) : undefined;
  if (operator?.level === 4) {
    reader.take();
    return call(reader, operator.name, [left, readLevel(reader, 5)]);
  }
  if (reader.accept("is")) {
    const isNot = reader.accept("not");
    reader.expect("null");
    return call(reader, isNot ? "is_not_null" : "is_null", [left]);
  }
  const isNegated =
    reader.is("not") && ["in", "between", "like", "ilike"].some((name) => reader.is(name, 1));
  if (isNegated) reader.take();
  const found = readRange(reader, left);
  if (found === undefined) return left;
  return isNegated ? call(reader, "not", [found]) : found;
}

function readRange(reader: TokenReader, value: Expression): Expression | undefined {
  if (reader.accept("like")) return call(reader, "like", [value, readLevel(reader, 5)]);
  if (reader.accept("ilike")) {
    const pattern = readLevel(reader, 5);
    const isText = pattern.op === "literal" && pattern.type === "text";
    const lower = isText ? literal(reader, "text", lowered(String(pattern.value))) : pattern;
    return call(reader, "like", [call(reader, "lower", [value]), lower]);
  }
  if (reader.accept("between")) {
    const low = readLevel(reader, 5);
    reader.expect("and");
    return call(reader, "between", [value, low, readLevel(reader, 5)]);
  }
  if (!reader.accept("in")) return undefined;
  reader.expect("(");
  const list: LiteralExpression[] = [];
  do {
    const item = readLevel(reader, 5);
    if (item.op !== "literal" || item.type === "null") {
      throw invalidExpression(
        "IN takes a list of literals without NULL; for rows of another step use a semi join.",
      );
    }
    list.push(item);
  } while (reader.accept(","));
  reader.expect(")");
  reader.countNode();
  return { op: "in", value, list };
}

function readUnary(reader: TokenReader): Expression {
  if (!reader.is("-")) return readPrimary(reader);
  reader.take();
  if (reader.peek().kind === "number") return numberLiteral(reader, `-${reader.take()}`);
  return reader.nested(() => call(reader, "negate", [readUnary(reader)]));
}

function readPrimary(reader: TokenReader): Expression {
  if (reader.accept("(")) {
    const inner = readExpression(reader);
    reader.expect(")");
    return inner;
  }
  const { kind } = reader.peek();
  if (kind === "symbol" || kind === "end") return reader.fail("a value");
  const value = reader.take();
  if (kind === "number") return numberLiteral(reader, value);
  if (kind === "text") return literal(reader, "text", value);
  return kind === "quoted" ? column(reader, value) : readWord(reader, value);
}

function readWord(reader: TokenReader, word: string): Expression {
  const name = word.toLowerCase();
  if (name === "true" || name === "false") return literal(reader, "bool", name === "true");
  if (name === "null") return literal(reader, "null", null);
  if (name === "case") return reader.nested(() => readCase(reader));
  const time = timeKinds.find((kind) => kind === name);
  if (time !== undefined && reader.peek().kind === "text")
    return literal(reader, time, reader.take());
  if (reader.is("("))
    return reader.nested(() => (name === "cast" ? readCast(reader) : readCall(reader, name)));
  if (reservedWords.has(name)) {
    throw invalidExpression(
      `${word.toUpperCase()} is a reserved word; write a column of that name in double quotes.`,
    );
  }
  return column(reader, word);
}

function readCase(reader: TokenReader): Expression {
  const branches: { when: Expression; value: Expression }[] = [];
  reader.countNode();
  while (reader.accept("when")) {
    const when = readExpression(reader);
    reader.expect("then");
    branches.push({ when, value: readExpression(reader) });
  }
  if (branches.length === 0) reader.fail("WHEN");
  const otherwise = reader.accept("else") ? readExpression(reader) : undefined;
  reader.expect("end");
  return { op: "case", branches, otherwise };
}

function readCast(reader: TokenReader): Expression {
  reader.expect("(");
  const value = readExpression(reader);
  reader.expect("as");
  let text = reader.take();
  if (reader.accept("(")) {
    const digits = [reader.take()];
    while (reader.accept(",")) digits.push(reader.take());
    reader.expect(")");
    text += `(${digits.join(",")})`;
  }
  reader.expect(")");
  reader.countNode();
  const type = parseDataType(text);
  if (type !== undefined) return { op: "cast", value, type: typeName(type) };
  const known = "bool, int, float, decimal(precision,scale), text, date, timestamp, timestamptz";
  throw invalidExpression(`"${text.slice(0, 40)}" is not a type; use one of ${known}.`);
}

function readCall(reader: TokenReader, written: string): Expression {
  const name = synonyms.get(written) ?? written;
  if (isAggregateName(name)) {
    throw invalidExpression(
      `${name} is an aggregate; write it in the aggregates of an aggregate step.`,
    );
  }
  if (!isFunctionName(name)) {
    const hint = nearestHint(name, [...functionNames, "cast"]);
    throw invalidExpression(`There is no function ${name.slice(0, 40)}.${hint}`);
  }
  const parts = readArguments(reader);
  const { min, max } = functionOf(name);
  if (parts.length < min || parts.length > max) {
    const isOpen = max === Infinity;
    const range = isOpen ? "at least " : min === max ? "" : `${min} to `;
    const wanted = `${range}${formatCount(isOpen ? min : max, "argument")}`;
    throw invalidExpression(`${name} takes ${wanted}, not ${parts.length}.`);
  }
  return call(reader, name, parts);
}

function readArguments(reader: TokenReader): Expression[] {
  reader.expect("(");
  const parts: Expression[] = [];
  if (reader.accept(")")) return parts;
  do parts.push(readExpression(reader));
  while (reader.accept(","));
  reader.expect(")");
  return parts;
}

/**
 * Reads an aggregate call such as `sum(amount)`, `count()`, `count(*)` or `count(distinct city)`. Returns
 * undefined if there is no aggregate at the reader's position.
 */
export function readAggregate(reader: TokenReader): Omit<NamedAggregate, "name"> | undefined {
  const { kind, text: name } = reader.peek();
  if (kind !== "word" || !isAggregateName(name) || !reader.is("(", 1)) return undefined;
  reader.take();
  reader.take();
  reader.countNode();
  if (name === "count") {
    const isStar = reader.accept("*");
    if (reader.accept(")")) return { function: "count" };
    if (isStar) reader.fail('")"');
  }
  const isDistinct = name === "count" && reader.accept("distinct");
  const argument = readExpression(reader);
  reader.expect(")");
  const applied: AggregateFunction = isDistinct ? "count_distinct" : name;
  return { function: applied, argument };
}

function call(reader: TokenReader, name: FunctionName, parts: Expression[]): Expression {
  reader.countNode();
  return { op: "call", function: name, arguments: parts };
}

function column(reader: TokenReader, name: string): Expression {
  reader.countNode();
  return { op: "column", name };
}

function literal(
  reader: TokenReader,
  type: LiteralExpression["type"],
  value: unknown,
): LiteralExpression {
  reader.countNode();
  return literalOf(type, value);
}

function numberLiteral(reader: TokenReader, text: string): LiteralExpression {
  if (/e/i.test(text)) return literal(reader, "float", Number(text));
  return text.includes(".") ? literal(reader, "decimal", text) : literal(reader, "int", text);
}
