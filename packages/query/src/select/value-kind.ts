import { listOf, nodeOf, variantOf, type SyntaxNode } from "@ccl/sql/parse";
import { isRecord } from "@ccl/core/json";
import { columnDataType } from "../plan/data-type.ts";
import { findColumn, type SourceColumn, type ValueKind } from "./name-scope.ts";
import type { Place, Resolution } from "./resolution.ts";

const tower: readonly ValueKind[] = ["int", "bigint", "numeric", "fraction", "float"];

/** True for all kinds of numbers. */
export function isNumber(kind: ValueKind | undefined): boolean {
  return kind !== undefined && tower.includes(kind);
}

/** Returns the kind of a value that may have any of these kinds, or undefined if one is unknown. */
export function commonKind(kinds: readonly (ValueKind | undefined)[]): ValueKind | undefined {
  const firm = new Set<ValueKind | undefined>(kinds);
  firm.delete("literal");
  firm.delete("null");
  if (firm.size === 0) return kinds[0];
  if (firm.size === 1) return [...firm][0];
  if (![...firm].every(isNumber)) return undefined;
  return tower.findLast((kind) => firm.has(kind));
}

/** Returns the kind of a column, from the catalog or its query. */
export function columnKind({ type, kind: known }: SourceColumn): ValueKind | undefined {
  if (type === undefined) return known;
  const { kind } = columnDataType(type);
  if (kind === "decimal") return "numeric";
  if (kind === "int") return /big|8|long|64|huge/i.test(type) ? "bigint" : "int";
  return kind === "float" || kind === "text" || kind === "date" ? kind : undefined;
}

type CallKind = (kinds: readonly (ValueKind | undefined)[]) => ValueKind | undefined;
/** PostgreSQL computes these functions as floats for whole numbers. */
const floatUnlessExact: CallKind = (kinds) =>
  kinds.every(isNumber)
    ? kinds.every((kind) => kind !== "float") && kinds.some((kind) => !isWhole(kind))
      ? "fraction"
      : "float"
    : undefined;
const averaged: CallKind = ([kind]) =>
  isNumber(kind) ? (kind === "float" ? kind : "fraction") : undefined;
const summed: CallKind = ([kind]) =>
  kind === "int" ? "bigint" : kind === "bigint" ? "numeric" : isNumber(kind) ? kind : undefined;
const rounded: CallKind = ([kind]) =>
  isWhole(kind) ? "float" : kind === "fraction" ? "numeric" : isNumber(kind) ? kind : undefined;

const callKinds: ReadonlyMap<string, CallKind> = new Map([
  ...named(
    "upper lower substr substring overlay replace trim ltrim rtrim btrim concat concat_ws left right lpad rpad repeat reverse initcap split_part translate chr char hex printf strftime to_char md5 typeof group_concat string_agg",
    () => "text",
  ),
  ...named(
    "length instr strpos position unicode ascii char_length character_length octet_length ntile",
    () => "int",
  ),
  ...named("count row_number rank dense_rank unixepoch", () => "bigint"),
  ...named("extract factorial", () => "numeric"),
  ...named("date_part julianday total", () => "float"),
  ...named("sqrt power pow ln exp log log10", floatUnlessExact),
  ...named("avg stddev stddev_samp stddev_pop variance var_samp var_pop", averaged),
  ...named("sum", summed),
  ...named("ceil ceiling floor trunc round sign", rounded),
  ...named("current_date make_date to_date", () => "date"),
  ...named("coalesce ifnull greatest least mod", commonKind),
  ...named("abs min max nullif lead lag first_value last_value any_value", ([kind]) => kind),
]);

function named(names: string, kind: CallKind): (readonly [string, CallKind])[] {
  return names.split(" ").map((name) => [name, kind]);
}

/** True for kinds of whole numbers. */
export function isWhole(kind: ValueKind | undefined): boolean {
  return kind === "int" || kind === "bigint";
}

/** Returns the kind of an expression's values if its text or the catalog determines it. Resolve its parts first. */
export function valueKind(value: unknown, place: Place, at: Resolution): ValueKind | undefined {
  if (!isRecord(value)) return undefined;
  const known = at.kinds.get(value) ?? kindOf(value, place, at) ?? "unknown";
  at.kinds.set(value, known);
  return known === "unknown" ? undefined : known;
}

function kindOf(value: SyntaxNode, place: Place, at: Resolution): ValueKind | undefined {
  const of = (part: unknown): ValueKind | undefined => valueKind(part, place, at);
  const { tag = "", content } = variantOf(value) ?? {};
  const node = nodeOf(content);
  switch (tag) {
    case "Identifier":
    case "CompoundIdentifier": {
      const path = at.places.column(value);
      const name = path.at(-1)?.value ?? "";
      const found = findColumn(place.scope, path.at(-2)?.value, name);
      if (found === undefined) return place.results?.columns.get(name.toLowerCase())?.kind;
      return found === "several" ? undefined : columnKind(found);
    }
    case "Value":
      return literalKind(node["value"]);
    case "TypedString":
    case "Cast":
      return typeKind(node["data_type"]);
    case "Nested":
      return of(content);
    case "UnaryOp":
      return of(node["expr"]);
    case "BinaryOp":
      return operatorKind(String(node["op"]), of(node["left"]), of(node["right"]));
    case "Case": {
      const results = listOf(node, "conditions").map((each) => of(nodeOf(each)["result"]));
      const last = node["else_result"];
      return commonKind(last === null || last === undefined ? results : [...results, of(last)]);
    }
    case "Subquery":
      return at.outputs.get(node)?.[0]?.kind;
    case "Function":
      return callKinds.get(at.places.calledName(node))?.(argumentsOf(node).map(of));
    default:
      return callKinds.get(tag.toLowerCase())?.([of(node["expr"])]);
  }
}

/** Returns the arguments of a call. */
export function argumentsOf(call: SyntaxNode): unknown[] {
  return listOf(call, "args", "List", "args").map((each) => nodeOf(each, "Unnamed")["Expr"]);
}

function literalKind(value: unknown): ValueKind | undefined {
  if (value === "Null") return "null";
  const { tag, content } = variantOf(value) ?? {};
  if (tag === "SingleQuotedString") return "literal";
  if (tag !== "Number") return undefined;
  const digits = String(listOf(content)[0]);
  if (/e/i.test(digits)) return "fraction";
  if (digits.includes(".")) return "numeric";
  return Number(digits) > 2_147_483_647 ? "bigint" : "int";
}

/** Returns the kind that a type name denotes. */
export function typeKind(type: unknown): ValueKind | undefined {
  const [name = "", size] =
    typeof type === "string" ? [type] : (Object.entries(nodeOf(type))[0] ?? []);
  if (/^(?:Text|Varchar|CharacterVarying|String)$/.test(name)) return "text";
  if (name === "Date") return "date";
  if (/^(?:BigInt|Int8)$/.test(name)) return "bigint";
  if (/Int(?!erval)/.test(name)) return "int";
  if (/^(?:Numeric|Dec)/.test(name)) return isRecord(size) ? "numeric" : "fraction";
  return /Real|Double|Float/.test(name) ? "float" : undefined;
}

function operatorKind(
  operator: string,
  left: ValueKind | undefined,
  right: ValueKind | undefined,
): ValueKind | undefined {
  if (operator === "StringConcat") return "text";
  if (left === "date" && /^(?:Plus|Minus)$/.test(operator))
    return right === "date" ? "int" : isWhole(right) ? "date" : undefined;
  if (!/^(?:Plus|Minus|Multiply|Divide|Modulo|BitwiseOr|BitwiseAnd)$/.test(operator))
    return undefined;
  const kind = isNumber(left) && isNumber(right) ? commonKind([left, right]) : undefined;
  return operator === "Divide" && kind === "numeric" ? "fraction" : kind;
}
