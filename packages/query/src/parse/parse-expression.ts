import { invalidExpression, PlanSyntaxError } from "./parse-issue.ts";
import {
  isAggregateName,
  type AggregateFunction,
  type Expression,
  type LiteralExpression,
  type NamedAggregate,
} from "../plan/expression.ts";
import {
  functionArguments,
  isFunctionName,
  operators,
  type FunctionName,
} from "../plan/functions.ts";
import { parseDataType, typeName } from "../plan/data-type.ts";
import { literalOf } from "./literal-value.ts";
import { nearestName } from "../plan/nearest-name.ts";
import { lowered } from "../plan/lowered.ts";
import { reservedWords } from "../plan/reserved-words.ts";
import { planLimits } from "./plan-limits.ts";
import type { TokenReader } from "./token-reader.ts";

type Symbols = ReadonlyMap<string, FunctionName>;

const symbolsOf = (level: number): Symbols =>
  new Map(
    Object.keys(operators)
      .filter(isFunctionName)
      .filter((name) => operators[name]?.level === level)
      .map((name) => [operators[name]?.symbol ?? "", name]),
  );
const comparisons: Symbols = new Map([...symbolsOf(4), ["==", "eq"], ["!=", "ne"]]);
const sums = symbolsOf(5);
const products = symbolsOf(6);
const timeKinds = ["date", "timestamp", "timestamptz"] as const;
// A map, since a model may call a function named `constructor`.
const synonyms: ReadonlyMap<string, FunctionName> = new Map([
  ["nullif", "null_if"],
  ["substr", "substring"],
  ["mod", "modulo"],
  ["div", "int_divide"],
  ["date_part", "extract"],
  ["ifnull", "coalesce"],
]);

/** Reads an expression at the reader's position. Binding from loose to tight: OR, AND, NOT, comparison, + - ||, * / %. */
export function readExpression(reader: TokenReader): Expression {
  return reader.nested(() =>
    readChain(reader, "or", () => readChain(reader, "and", () => readNot(reader))),
  );
}

function readChain(
  reader: TokenReader,
  name: "and" | "or",
  readPart: () => Expression,
): Expression {
  const first = readPart();
  if (!reader.isWord(name)) return first;
  const parts = [first];
  while (reader.takeWord(name)) parts.push(readPart());
  return call(reader, name, parts);
}

function readNot(reader: TokenReader): Expression {
  if (!reader.takeWord("not")) return readComparison(reader);
  return reader.nested(() => call(reader, "not", [readNot(reader)]));
}

function readComparison(reader: TokenReader): Expression {
  const left = readSum(reader);
  const { kind, value } = reader.peek();
  const operator = kind === "symbol" ? comparisons.get(value) : undefined;
  if (operator !== undefined) {
    reader.take();
    return call(reader, operator, [left, readSum(reader)]);
  }
  if (reader.takeWord("is")) {
    const isNot = reader.takeWord("not");
    reader.expectWord("null");
    return call(reader, isNot ? "is_not_null" : "is_null", [left]);
  }
  const isNegated =
    reader.isWord("not") &&
    ["in", "between", "like", "ilike"].some((name) => reader.isWord(name, 1));
  if (isNegated) reader.take();
  const found = readRange(reader, left);
  if (found === undefined) return left;
  return isNegated ? call(reader, "not", [found]) : found;
}

function readRange(reader: TokenReader, value: Expression): Expression | undefined {
  if (reader.takeWord("like")) return call(reader, "like", [value, readSum(reader)]);
  if (reader.takeWord("ilike")) {
    const pattern = readSum(reader);
    const isText = pattern.op === "literal" && pattern.type === "text";
    const lower = isText ? literal(reader, "text", lowered(String(pattern.value))) : pattern;
    return call(reader, "like", [call(reader, "lower", [value]), lower]);
  }
  if (reader.takeWord("between")) {
    const low = readSum(reader);
    reader.expectWord("and");
    return call(reader, "between", [value, low, readSum(reader)]);
  }
  if (!reader.takeWord("in")) return undefined;
  reader.expectSymbol("(");
  const list: LiteralExpression[] = [];
  do {
    const item = readSum(reader);
    if (item.op !== "literal" || item.type === "null") {
      throw invalidExpression(
        "IN takes a list of literals without NULL; for rows of another step use a semi join.",
      );
    }
    list.push(item);
  } while (reader.takeSymbol(","));
  reader.expectSymbol(")");
  reader.countNode();
  return { op: "in", value, list };
}

function readSum(reader: TokenReader): Expression {
  return readOperators(reader, sums, () =>
    readOperators(reader, products, () => readUnary(reader)),
  );
}

/** Left-associative. `a || b || c` becomes one call, as `and` does. */
function readOperators(
  reader: TokenReader,
  table: Symbols,
  readPart: () => Expression,
): Expression {
  let left = readPart();
  for (let depth = 0; ; depth++) {
    const { kind, value } = reader.peek();
    const name = kind === "symbol" ? table.get(value) : undefined;
    if (name === undefined) return left;
    if (depth >= planLimits.depth) {
      throw new PlanSyntaxError(
        "limit_exceeded",
        `More than ${planLimits.depth} operators in a row; group some in a step before.`,
      );
    }
    reader.take();
    const parts = [left, readPart()];
    if (name === "concat") while (reader.takeSymbol("||")) parts.push(readPart());
    left = call(reader, name, parts);
  }
}

function readUnary(reader: TokenReader): Expression {
  if (!reader.isSymbol("-")) return readPrimary(reader);
  reader.take();
  if (reader.peek().kind === "number") return numberLiteral(reader, `-${reader.take().value}`);
  return reader.nested(() => call(reader, "negate", [readUnary(reader)]));
}

function readPrimary(reader: TokenReader): Expression {
  if (reader.takeSymbol("(")) {
    const inner = readExpression(reader);
    reader.expectSymbol(")");
    return inner;
  }
  const { kind, value } = reader.peek();
  if (kind === "symbol" || kind === "end") return reader.fail("a value");
  reader.take();
  if (kind === "number") return numberLiteral(reader, value);
  if (kind === "text") return literal(reader, "text", value);
  return kind === "name" ? column(reader, value) : readWord(reader, value);
}

function readWord(reader: TokenReader, word: string): Expression {
  const name = word.toLowerCase();
  if (name === "true" || name === "false") return literal(reader, "bool", name === "true");
  if (name === "null") return literal(reader, "null", null);
  if (name === "case") return reader.nested(() => readCase(reader));
  const time = timeKinds.find((kind) => kind === name);
  if (time !== undefined && reader.peek().kind === "text")
    return literal(reader, time, reader.take().value);
  if (reader.isSymbol("("))
    return reader.nested(() => (name === "cast" ? readCast(reader) : readCall(reader, name)));
  if (reservedWords.has(name)) {
    throw invalidExpression(
      `${word.toUpperCase()} is a word of the language; a column of that name stands in double quotes.`,
    );
  }
  return column(reader, word);
}

function readCase(reader: TokenReader): Expression {
  const branches: { when: Expression; value: Expression }[] = [];
  reader.countNode();
  while (reader.takeWord("when")) {
    const when = readExpression(reader);
    reader.expectWord("then");
    branches.push({ when, value: readExpression(reader) });
  }
  if (branches.length === 0) reader.fail("WHEN");
  const otherwise = reader.takeWord("else") ? readExpression(reader) : undefined;
  reader.expectWord("end");
  return { op: "case", branches, otherwise };
}

function readCast(reader: TokenReader): Expression {
  reader.expectSymbol("(");
  const value = readExpression(reader);
  reader.expectWord("as");
  let text = reader.take().value;
  if (reader.takeSymbol("(")) {
    const digits = [reader.take().value];
    while (reader.takeSymbol(",")) digits.push(reader.take().value);
    reader.expectSymbol(")");
    text += `(${digits.join(",")})`;
  }
  reader.expectSymbol(")");
  reader.countNode();
  const type = parseDataType(text);
  if (type !== undefined) return { op: "cast", value, type: typeName(type) };
  const known = "bool, int, float, decimal(precision,scale), text, date, timestamp, timestamptz";
  throw invalidExpression(`"${text.slice(0, 40)}" is no type; use one of ${known}.`);
}

function readCall(reader: TokenReader, written: string): Expression {
  const name = synonyms.get(written) ?? written;
  if (isAggregateName(name)) {
    throw invalidExpression(
      `${name} is an aggregate; it stands in the aggregates of an aggregate step.`,
    );
  }
  if (!isFunctionName(name)) {
    const near = nearestName(name, [...Object.keys(functionArguments), "cast"]);
    const hint = near === undefined ? "" : ` Did you mean ${near}?`;
    throw invalidExpression(`There is no function ${name.slice(0, 40)}.${hint}`);
  }
  const parts = readArguments(reader);
  const [min, max] = functionArguments[name];
  if (parts.length < min || parts.length > max) {
    const wanted = max === 1e9 ? `at least ${min}` : min === max ? `${min}` : `${min} to ${max}`;
    throw invalidExpression(`${name} takes ${wanted} arguments, not ${parts.length}.`);
  }
  return call(reader, name, parts);
}

function readArguments(reader: TokenReader): Expression[] {
  reader.expectSymbol("(");
  const parts: Expression[] = [];
  if (reader.takeSymbol(")")) return parts;
  do parts.push(readExpression(reader));
  while (reader.takeSymbol(","));
  reader.expectSymbol(")");
  return parts;
}

/**
 * An aggregate call like `sum(amount)`, `count()`, `count(*)` or `count(distinct city)`. Undefined
 * if no aggregate begins here.
 */
export function readAggregate(reader: TokenReader): Omit<NamedAggregate, "name"> | undefined {
  const { kind, value } = reader.peek();
  const name = value.toLowerCase();
  if (kind !== "word" || !isAggregateName(name) || !reader.isSymbol("(", 1)) return undefined;
  reader.take();
  reader.take();
  reader.countNode();
  if (name === "count") {
    const isStar = reader.takeSymbol("*");
    if (reader.takeSymbol(")")) return { function: "count" };
    if (isStar) reader.fail('")"');
  }
  const isDistinct = name === "count" && reader.takeWord("distinct");
  const argument = readExpression(reader);
  reader.expectSymbol(")");
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
