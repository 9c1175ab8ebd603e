import type { Expression, NamedAggregate, NamedExpression } from "../plan/expression.ts";
import type { SortKey } from "../plan/logical-plan.ts";
import { readAggregate, readExpression } from "./parse-expression.ts";
import { reservedWords } from "../plan/reserved-words.ts";
import type { TokenReader } from "./token-reader.ts";

/** Reads a name: a bare word that is not reserved, or a name in double quotes. */
function readNameToken(reader: TokenReader): string {
  const { kind, text } = reader.peek();
  const isName =
    (kind === "quoted" && text !== '""') || (kind === "word" && !reservedWords.has(text));
  if (!isName) reader.fail("a name");
  return reader.take();
}

/** Reads `value as name`. Without a name, one is derived from the value. */
export function readNamedExpression(reader: TokenReader): NamedExpression {
  const value = readExpression(reader);
  return { name: reader.accept("as") ? readNameToken(reader) : defaultName(value), value };
}

/** Reads `sum(column) as name`. The name defaults to one like `sum_column`. */
export function readNamedAggregate(reader: TokenReader): NamedAggregate {
  const aggregate = readAggregate(reader) ?? reader.fail("an aggregate like sum(column)");
  return {
    name: reader.accept("as") ? readNameToken(reader) : defaultAggregateName(aggregate),
    ...aggregate,
  };
}

/** Reads `column`, `column desc` or `column asc nulls first`. */
export function readSortKey(reader: TokenReader): SortKey {
  const column = readNameToken(reader);
  const direction = reader.accept("desc") ? "desc" : "asc";
  if (direction === "asc") reader.accept("asc");
  if (!reader.accept("nulls")) return { column, direction, nulls: "last" };
  if (reader.accept("first")) return { column, direction, nulls: "first" };
  reader.expect("last");
  return { column, direction, nulls: "last" };
}

/** Reads `left_column = right_column`. */
export function readJoinKey(reader: TokenReader): { left: string; right: string } {
  const left = readNameToken(reader);
  reader.expect("=");
  return { left, right: readNameToken(reader) };
}

function defaultName(value: Expression): string {
  if (value.op === "column") return value.name;
  if (value.op !== "call")
    return value.op === "literal" ? String(value.value).slice(0, 60) || "value" : value.op;
  const columns = value.arguments.flatMap((part) => (part.op === "column" ? [part.name] : []));
  return [value.function, ...columns].join("_").slice(0, 100);
}

function defaultAggregateName({ function: name, argument }: Omit<NamedAggregate, "name">): string {
  return argument?.op === "column" ? `${name}_${argument.name}`.slice(0, 150) : name;
}
