import {
  isNumeric,
  maxPrecision,
  typeName,
  type DataType,
  type DecimalType,
} from "../plan/data-type.ts";
import { functionOf, type FunctionName } from "../plan/functions.ts";
import type { TypedExpression } from "../plan/typed-plan.ts";
import { callOf, literalInt, literalText, mistyped, refuse, type CallInput } from "./call-input.ts";
import { checkTimeCall } from "./check-time-call.ts";
import { converted, decimalFor, decimalOf } from "./convert-type.ts";
import { commonUnit, mismatch, sameTyped } from "./same-typed.ts";

const bool: DataType = { kind: "bool" };
const int: DataType = { kind: "int" };
const float: DataType = { kind: "float" };
const text: DataType = { kind: "text" };

/** Returns the typed call. If the arguments do not fit, reports an issue and returns undefined. */
export function checkCall(input: CallInput): TypedExpression | undefined {
  const { takes, gives } = functionOf(input.name);
  return takes === undefined || gives === undefined
    ? (checks[input.name] ?? checkTimeCall)(input)
    : allOf(input, takes, gives);
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
  is_null: isNullTest,
  is_not_null: isNullTest,
  coalesce: oneOf,
  null_if: oneOf,
  add: arithmetic,
  subtract: arithmetic,
  multiply: arithmetic,
  divide: (input) => {
    if (!areNumbers(input)) return undefined;
    const parts = input.parts.map((part) => converted(part, float));
    const unit = input.parts[1]?.op === "literal" ? commonUnit(input.parts) : {};
    return callOf(input.name, parts, { type: float, ...unit });
  },
  negate: sameNumber,
  abs: sameNumber,
  round: checkRound,
  like: checkLike,
  substring: checkSubstring,
};

/** Types a call that returns one of its arguments: any for `coalesce`, the first for `null_if`. */
function oneOf(input: CallInput): TypedExpression | undefined {
  const same = atCommonType(input);
  const [first] = same ?? [];
  if (same === undefined || first === undefined) return undefined;
  const results = input.name === "null_if" ? [first] : same;
  return callOf(input.name, same, { type: first.type, ...commonUnit(results) });
}

function isNullTest({ name, parts }: CallInput): TypedExpression {
  return callOf(name, parts, { type: bool });
}

function allOf(input: CallInput, wanted: DataType, type: DataType): TypedExpression | undefined {
  const parts = input.parts.map((part) =>
    part.op === "literal" && part.value === null ? { ...part, type: wanted } : part,
  );
  const wrong = parts.find((part) => part.type.kind !== wanted.kind);
  if (wrong === undefined) return callOf(input.name, parts, { type });
  const message = `${input.name} takes ${typeName(wanted)}, not ${typeName(wrong.type)}.`;
  return mistyped(input, message);
}

function atCommonType(input: CallInput): TypedExpression[] | undefined {
  const same = sameTyped(input.parts);
  if (same === undefined)
    return mismatch(input.scope, input.path, {
      what: `The arguments of ${input.name}`,
      parts: input.parts,
    });
  warnOfUnits(input);
  return same;
}

function compare(input: CallInput): TypedExpression | undefined {
  const same = atCommonType(input);
  if (same === undefined) return undefined;
  const isOrdered = input.name !== "eq" && input.name !== "ne";
  if (isOrdered && same[0]?.type.kind === "bool") {
    return mistyped(input, "Bools have no order; compare them with = and <>.");
  }
  return callOf(input.name, same, { type: bool });
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
  const bounds = above &&
    below && [callOf("ge", above, { type: bool }), callOf("le", below, { type: bool })];
  return bounds && callOf("and", bounds, { type: bool });
}

function warnOfUnits({ scope, path, name, parts }: CallInput): void {
  const units = new Set(
    parts.flatMap((part) => (part.op === "literal" || part.unit === undefined ? [] : [part.unit])),
  );
  if (units.size < 2) return;
  scope.report("unit_mismatch", path, `${name} mixes values in ${[...units].join(" and ")}.`);
}

function areNumbers(input: CallInput): boolean {
  const wrong = input.parts.find((part) => !isNumeric(part.type));
  if (wrong === undefined) return true;
  const isTime = ["date", "timestamp", "timestamptz"].includes(wrong.type.kind);
  const hint = isTime
    ? " Use date_add(x, 1, 'day') or days_between(a, b)."
    : wrong.type.kind === "text"
      ? " Join strings with ||."
      : "";
  mistyped(input, `${input.name} takes numbers, not ${typeName(wrong.type)}.${hint}`);
  return false;
}

function arithmetic(input: CallInput): TypedExpression | undefined {
  if (!areNumbers(input)) return undefined;
  const [left, right] = input.parts;
  if (left === undefined || right === undefined) return undefined;
  const isProduct = input.name === "multiply";
  if (!isProduct) warnOfUnits(input);
  const isScaled = left.op === "literal" || right.op === "literal";
  const unit = !isProduct || isScaled ? commonUnit(input.parts) : {};
  const kinds = new Set([left.type.kind, right.type.kind]);
  if (kinds.has("float"))
    return callOf(
      input.name,
      input.parts.map((part) => converted(part, float)),
      { type: float, ...unit },
    );
  if (!kinds.has("decimal")) return callOf(input.name, input.parts, { type: int, ...unit });
  const type = isProduct
    ? productType(decimalOf(left), decimalOf(right))
    : sumType(left.type, right.type);
  if (type !== undefined) {
    // A product keeps the scales of its factors. A sum converts both sides to its own scale.
    const parts = input.parts.map((part) => converted(part, isProduct ? decimalOf(part) : type));
    return callOf(input.name, parts, { type, ...unit });
  }
  const message = `${input.name} of ${typeName(left.type)} and ${typeName(right.type)} needs more than ${maxPrecision} digits; cast one to float or to fewer digits.`;
  return mistyped(input, message);
}

function sumType(left: DataType, right: DataType): DataType | undefined {
  const [first, second] = [decimalFor(left), decimalFor(right)];
  const scale = Math.max(first.scale, second.scale);
  const precision =
    Math.max(first.precision - first.scale, second.precision - second.scale) + scale + 1;
  return precision - 1 > maxPrecision
    ? undefined
    : { kind: "decimal", precision: Math.min(precision, maxPrecision), scale };
}

/** Digits before the point that remain of 38 when multiplying three columns without declared digits. */
const minWholeDigits = 11;

function productType(first: DecimalType, second: DecimalType): DataType | undefined {
  const precision = first.precision + second.precision;
  const scale = first.scale + second.scale;
  if (precision <= maxPrecision) return { kind: "decimal", precision, scale };
  // A product with too many digits fails at run time, as a sum does.
  return scale <= maxPrecision - minWholeDigits
    ? { kind: "decimal", precision: maxPrecision, scale }
    : undefined;
}

function sameNumber(input: CallInput): TypedExpression | undefined {
  const [part] = input.parts;
  if (part === undefined || !areNumbers(input)) return undefined;
  return callOf(input.name, input.parts, { type: part.type, ...commonUnit(input.parts) });
}

function checkRound(input: CallInput): TypedExpression | undefined {
  const [value, digits] = input.parts;
  if (value === undefined || !areNumbers(input)) return undefined;
  const places = digits === undefined ? 0 : literalInt(digits);
  if (places === undefined || places < 0 || places > 12) {
    return refuse(input, "round takes a literal from 0 to 12 as its digits.");
  }
  if (value.type.kind === "int") return value;
  const unit = commonUnit([value]);
  const parts: TypedExpression[] = [value, { op: "literal", value: places, type: int }];
  if (value.type.kind === "float") return callOf("round", parts, { type: float, ...unit });
  const { precision, scale } = decimalFor(value.type);
  if (places >= scale) return value;
  const type: DataType = {
    kind: "decimal",
    precision: Math.min(maxPrecision, precision - scale + places + 1),
    scale: places,
  };
  return callOf("round", parts, { type, ...unit });
}

function checkLike(input: CallInput): TypedExpression | undefined {
  const pattern = literalText(input.parts[1]);
  if (pattern === undefined)
    return refuse(
      input,
      "The pattern of LIKE is a literal; for other values use contains, starts_with or ends_with.",
    );
  if (/(?:^|[^\\])(?:\\\\)*\\(?![\\%_])/.test(pattern)) {
    return refuse(input, "In a pattern \\ is allowed only before %, _ and \\.");
  }
  return allOf(input, text, bool);
}

function checkSubstring(input: CallInput): TypedExpression | undefined {
  const [value, start, count] = input.parts;
  const first = start && literalInt(start);
  const max = count === undefined ? 0 : literalInt(count);
  const isInRange = (number: number | undefined, min: number): boolean =>
    number !== undefined && number >= min && number <= 1_000_000_000;
  if (!isInRange(first, 1) || !isInRange(max, 0)) {
    return refuse(input, "substring takes a literal start from 1 and a literal length from 0.");
  }
  if (value === undefined || allOf({ ...input, parts: [value] }, text, text) === undefined)
    return undefined;
  return callOf("substring", input.parts, { type: text });
}
