import { isTime, typeName, type DataType } from "../plan/data-type.ts";
import { nearestName } from "../plan/nearest-name.ts";
import type { TypedExpression } from "../plan/typed-plan.ts";
import { callOf, literalInt, literalText, mistyped, refuse, type CallInput } from "./call-input.ts";
import { convertedLiteral } from "./convert-type.ts";

const truncUnits = "year quarter month week day hour minute second";
const extractParts = "year quarter month day weekday hour minute second";
const addUnits = "year month week day hour minute second";
const timestamp: DataType = { kind: "timestamp" };
const timestamptz: DataType = { kind: "timestamptz" };
const maxAdded = 1_000_000;

/** Types a call of a date, time or zone function. Zones are IANA names. Units and parts are literals. */
export function checkTimeCall(input: CallInput): TypedExpression | undefined {
  const { name, scope } = input;
  const [first, second, third] = input.parts;
  if (name === "now")
    return scope.now === undefined
      ? callOf(name, [], timestamptz)
      : { op: "literal", value: scope.now, type: timestamptz };
  if (first === undefined) return undefined;
  switch (name) {
    case "date": {
      const value = wallClock(input, first, second);
      return value && callOf(name, [value], { kind: "date" });
    }
    case "local":
      return first.type.kind === "timestamptz"
        ? wallClock(input, first, second)
        : mistyped(input, "a timestamptz (instant(x, zone) makes one)", first);
    case "instant": {
      const zone = zoneOf(input, second);
      if (first.type.kind !== "timestamp") return mistyped(input, "a timestamp", first);
      return zone && callOf(name, [first, zone], timestamptz);
    }
    case "date_trunc":
    case "extract": {
      const isExtract = name === "extract";
      const word = wordOf(input, first, isExtract ? extractParts : truncUnits);
      const value = second && wallClock(input, second, third);
      return word && value && callOf(name, [word, value], isExtract ? { kind: "int" } : timestamp);
    }
    case "date_add":
      return checkAdd(input, first);
    default:
      return undefined;
  }
}

/** Converts to a wall-clock timestamp: a timestamptz to the zone (UTC by default), a date to its midnight. */
function wallClock(
  input: CallInput,
  value: TypedExpression,
  zone: TypedExpression | undefined,
): TypedExpression | undefined {
  const isText = value.op === "literal" && value.type.kind === "text";
  const time = (isText && convertedLiteral(value, timestamp)) || value;
  if (time.type.kind === "timestamptz") {
    const known = zoneOf(input, zone);
    return known && callOf("local", [time, known], timestamp);
  }
  if (!isTime(time.type)) return mistyped(input, "a date or time", time);
  if (zone === undefined) return time;
  return refuse(
    input,
    `${input.name} takes a zone for a timestamptz only; this is ${typeName(time.type)}. Where its clock is known, instant(x, 'UTC') makes one.`,
  );
}

function zoneOf(
  { scope }: CallInput,
  zone: TypedExpression | undefined,
): TypedExpression | undefined {
  const value = zone === undefined ? "UTC" : literalText(zone);
  if (value !== undefined && isZone(value)) return { op: "literal", value, type: { kind: "text" } };
  const message = `${JSON.stringify(value ?? typeName(zone?.type ?? timestamp))} is not a time zone; write one of the IANA list, like 'Europe/Berlin' or 'UTC'.`;
  return scope.report("zone_unknown", message);
}

/** True for an IANA name known to the runtime. False for offsets like +02:00, whose sign engines read differently. */
function isZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/.test(name) || name.length > 60)
    return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

function wordOf(
  input: CallInput,
  value: TypedExpression | undefined,
  list: string,
): TypedExpression | undefined {
  const words = list.split(" ");
  const word = literalText(value)?.toLowerCase();
  if (word !== undefined && words.includes(word))
    return { op: "literal", value: word, type: { kind: "text" } };
  const near = nearestName(word ?? "", words);
  const hint = near === undefined ? `one of ${words.join(", ")}` : `like '${near}'`;
  return refuse(
    input,
    `${input.name} takes a literal ${hint}, not ${JSON.stringify(word ?? "an expression")}.`,
  );
}

function checkAdd(input: CallInput, value: TypedExpression): TypedExpression | undefined {
  const [, amount, unit] = input.parts;
  const word = wordOf(input, unit, addUnits);
  const number = literalInt(amount);
  if (number === undefined || Math.abs(number) > maxAdded)
    return refuse(input, `date_add takes a literal whole number of at most ${maxAdded}.`);
  if (amount === undefined || word === undefined) return undefined;
  const { type } = value;
  if (!isTime(type)) return mistyped(input, "a date or time", value);
  return type.kind === "date" && /hour|minute|second/.test(literalText(word) ?? "")
    ? refuse(input, "A date has no hours; add days, or cast it to timestamp.")
    : callOf("date_add", [value, amount, word], type);
}
