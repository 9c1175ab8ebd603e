import {
  decimalType,
  isNumeric,
  isTime,
  maxPrecision,
  typeName,
  type DataType,
  type DecimalType,
} from "../plan/data-type.ts";
import { functionOf, type FunctionName } from "../plan/functions.ts";
import type { TypedExpression } from "../plan/typed-plan.ts";
import { callOf, literalInt, literalText, mistyped, refuse, type CallInput } from "./call-input.ts";
import { checkTimeCall } from "./check-time-call.ts";
import {
  converted,
  convertedLiteral,
  decimalFor,
  decimalOf,
  widerDecimal,
} from "./convert-type.ts";
import { commonUnit, mismatch, sameTyped } from "./same-typed.ts";

const bool: DataType = { kind: "bool" };
const int: DataType = { kind: "int" };
const float: DataType = { kind: "float" };
const text: DataType = { kind: "text" };

/** Returns the typed call. If the arguments do not fit, reports an issue and returns undefined. */
export function checkCall(input: CallInput): TypedExpression | undefined {
  const { name, parts } = input;
  const { takes, gives } = functionOf(name);
  if (gives === undefined) return (checks[name] ?? checkTimeCall)(input);
  return takes === undefined ? callOf(name, parts, gives) : allOf(input, takes, gives);
}

type Check = (input: CallInput) => TypedExpression | undefined;

const checks: Partial<Record<FunctionName, Check>> = {
  eq: compare,
  ne: compare,
  lt: compare,
  le: compare,
  gt: compare,
  ge: compare,
  between: checkBetween,
  coalesce: oneOf,
  null_if: oneOf,
  add: arithmetic,
  subtract: arithmetic,
  multiply: arithmetic,
  divide: arithmetic,
  negate: sameNumber,
  abs: sameNumber,
  round: checkRound,
  like: checkLike,
  substring: checkSubstring,
};

/** Types a call that returns one of its arguments: any for `coalesce`, the first for `null_if`. */
function oneOf(input: CallInput): TypedExpression | undefined {
  const { name } = input;
  const same = atCommonType(input);
  const [first] = same ?? [];
  if (same === undefined || first === undefined) return undefined;
  return callOf(name, same, first.type, commonUnit(name === "null_if" ? [first] : same));
}

function allOf(input: CallInput, wanted: DataType, type: DataType): TypedExpression | undefined {
  const parts = input.parts.map((part) =>
    part.op === "literal" ? (convertedLiteral(part, wanted) ?? part) : part,
  );
  const wrong = parts.find((part) => part.type.kind !== wanted.kind);
  if (wrong === undefined) return callOf(input.name, parts, type);
  const hint = wanted.kind === "date" ? " Use date(x, zone)." : "";
  return mistyped(input, typeName(wanted), wrong, hint);
}

function atCommonType(input: CallInput): TypedExpression[] | undefined {
  const { scope, name, parts } = input;
  const same = sameTyped(parts) ?? mismatch(scope, `The arguments of ${name}`, parts);
  if (same !== undefined) warnOfUnits(input);
  return same;
}

function compare(input: CallInput): TypedExpression | undefined {
  const same = atCommonType(input);
  if (same === undefined) return undefined;
  const isOrdered = input.name !== "eq" && input.name !== "ne";
  return isOrdered && same[0]?.type.kind === "bool"
    ? input.scope.report("type_mismatch", "Bools have no order; compare them with = and <>.")
    : callOf(input.name, same, bool);
}

/** Checks each bound separately if one is a float, because a common float type would lose digits of the others. */
function checkBetween(input: CallInput): TypedExpression | undefined {
  const whole = compare(input);
  const [value, low, high] = input.parts;
  const kinds = new Set(input.parts.map((part) => part.type.kind));
  if (whole === undefined || !value || !low || !high || !kinds.has("float") || kinds.size === 1)
    return whole;
  const above = sameTyped([value, low]);
  const below = sameTyped([value, high]);
  return (
    above && below && callOf("and", [callOf("ge", above, bool), callOf("le", below, bool)], bool)
  );
}

function warnOfUnits({ scope, name, parts }: CallInput): void {
  const units = new Set(
    parts.flatMap((part) => (part.op === "literal" || part.unit === undefined ? [] : [part.unit])),
  );
  if (units.size > 1)
    scope.report("unit_mismatch", `${name} mixes values in ${[...units].join(" and ")}.`);
}

function areNumbers(input: CallInput): boolean {
  const wrong = input.parts.find((part) => !isNumeric(part.type));
  if (wrong === undefined) return true;
  const hint = isTime(wrong.type)
    ? " Use date_add(x, 1, 'day') or days_between(a, b)."
    : wrong.type.kind === "text"
      ? " Join strings with ||."
      : "";
  mistyped(input, "numbers", wrong, hint);
  return false;
}

function arithmetic(input: CallInput): TypedExpression | undefined {
  if (!areNumbers(input)) return undefined;
  const { name, parts, scope } = input;
  const [left, right] = parts;
  if (left === undefined || right === undefined) return undefined;
  const isProduct = name === "multiply";
  const isSum = name === "add" || name === "subtract";
  if (isSum) warnOfUnits(input);
  const isScaled = right.op === "literal" || (isProduct && left.op === "literal");
  const unit = isSum || isScaled ? commonUnit(parts) : undefined;
  const allAs = (type: DataType): TypedExpression =>
    callOf(
      name,
      parts.map((part) => converted(part, type)),
      type,
      unit,
    );
  const kinds = new Set([left.type.kind, right.type.kind]);
  if (name === "divide" || kinds.has("float")) return allAs(float);
  if (!kinds.has("decimal")) return callOf(name, parts, int, unit);
  const type = isProduct
    ? productType(decimalOf(left), decimalOf(right))
    : sumType(left.type, right.type);
  if (type === undefined)
    return scope.report(
      "type_mismatch",
      `${name} of ${typeName(left.type)} and ${typeName(right.type)} needs more than ${maxPrecision} digits; cast one to float or to fewer digits.`,
    );
  if (isSum) return allAs(type);
  // A product keeps the scales of its factors.
  const factors = parts.map((part) => converted(part, decimalOf(part)));
  return callOf(name, factors, type, unit);
}

function sumType(left: DataType, right: DataType): DataType | undefined {
  const { precision, scale } = widerDecimal(left, right);
  return precision > maxPrecision ? undefined : decimalType(precision + 1, scale);
}

/** Digits before the point that remain of 38 when multiplying three columns without declared digits. */
const minWholeDigits = 11;

function productType(first: DecimalType, second: DecimalType): DataType | undefined {
  const precision = first.precision + second.precision;
  const scale = first.scale + second.scale;
  // A product with too many digits fails at run time, as a sum does.
  return precision > maxPrecision && scale > maxPrecision - minWholeDigits
    ? undefined
    : decimalType(precision, scale);
}

function sameNumber(input: CallInput): TypedExpression | undefined {
  const [part] = input.parts;
  if (part === undefined || !areNumbers(input)) return undefined;
  return callOf(input.name, input.parts, part.type, commonUnit(input.parts));
}

function checkRound(input: CallInput): TypedExpression | undefined {
  const [value, digits] = input.parts;
  if (value === undefined || !areNumbers(input)) return undefined;
  const places = digits === undefined ? 0 : literalInt(digits);
  if (places === undefined || places < 0 || places > 12)
    return refuse(input, "round takes a literal from 0 to 12 as its digits.");
  const { type } = value;
  const { precision, scale } = decimalFor(type);
  if (type.kind !== "float" && places >= scale) return value;
  const parts: TypedExpression[] = [value, { op: "literal", value: places, type: int }];
  const rounded =
    type.kind === "float" ? float : decimalType(precision - scale + places + 1, places);
  return callOf("round", parts, rounded, commonUnit([value]));
}

function checkLike(input: CallInput): TypedExpression | undefined {
  const pattern = literalText(input.parts[1]);
  if (pattern === undefined)
    return refuse(
      input,
      "The pattern of LIKE is a literal; for other values use contains, starts_with or ends_with.",
    );
  return /(?:^|[^\\])(?:\\\\)*\\(?![\\%_])/.test(pattern)
    ? refuse(input, "In a pattern \\ is allowed only before %, _ and \\.")
    : allOf(input, text, bool);
}

function checkSubstring(input: CallInput): TypedExpression | undefined {
  const [value, start, count] = input.parts;
  const isInRange = (number: number | undefined, min: number): boolean =>
    number !== undefined && number >= min && number <= 1_000_000_000;
  if (!isInRange(literalInt(start), 1) || (count && !isInRange(literalInt(count), 0)))
    return refuse(input, "substring takes a literal start from 1 and a literal length from 0.");
  if (value === undefined || allOf({ ...input, parts: [value] }, text, text) === undefined)
    return undefined;
  return callOf("substring", input.parts, text);
}
