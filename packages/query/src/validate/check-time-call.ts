import { typeName, type DataType } from "../plan/data-type.ts";
import { nearestName } from "../plan/nearest-name.ts";
import type { TypedExpression } from "../plan/typed-plan.ts";
import { callOf, literalInt, literalText, mistyped, refuse, type CallInput } from "./call-input.ts";
import { convertedLiteral } from "./convert-type.ts";

const truncUnits = ["year", "quarter", "month", "week", "day", "hour", "minute", "second"];
const extractParts = ["year", "quarter", "month", "day", "weekday", "hour", "minute", "second"];
const addUnits = ["year", "month", "week", "day", "hour", "minute", "second"];
const timestamp: DataType = { kind: "timestamp" };
const maxAdded = 1_000_000;

/** Types a call of a date, time or zone function. Zones are IANA names. Units and parts are literals. */
export function checkTimeCall(input: CallInput): TypedExpression | undefined {
  const { name, parts } = input;
  const [first, second, third] = parts;
  switch (name) {
    case "now": {
      const now = { type: { kind: "timestamptz" } } as const;
      const { now: value } = input.scope;
      return value === undefined ? callOf(name, [], now) : { op: "literal", value, ...now };
    }
    case "date": {
      const value = wallClock(input, first, second);
      return value && callOf(name, [value], { type: { kind: "date" } });
    }
    case "local":
      return first?.type.kind === "timestamptz"
        ? wallClock(input, first, second)
        : wrong(input, first, "a timestamptz (instant(x, zone) makes one)");
    case "instant": {
      const zone = zoneOf(input, second);
      if (first?.type.kind !== "timestamp") return wrong(input, first, "a timestamp");
      return zone && callOf(name, [first, zone], { type: { kind: "timestamptz" } });
    }
    case "date_trunc": {
      const unit = wordOf(input, first, truncUnits);
      const value = wallClock(input, second, third);
      return unit && value && callOf(name, [unit, value], { type: timestamp });
    }
    case "extract": {
      const part = wordOf(input, first, extractParts);
      const value = wallClock(input, second, third);
      return part && value && callOf(name, [part, value], { type: { kind: "int" } });
    }
    case "date_add":
      return checkAdd(input);
    case "days_between": {
      const from = dateOf(input, first);
      const to = dateOf(input, second);
      return from && to && callOf(name, [from, to], { type: { kind: "int" } });
    }
    default:
      return undefined;
  }
}

/** Converts to a wall-clock timestamp: a timestamptz to the zone (UTC by default), a date to its midnight. */
function wallClock(
  input: CallInput,
  value: TypedExpression | undefined,
  zone: TypedExpression | undefined,
): TypedExpression | undefined {
  if (value === undefined) return undefined;
  const time =
    value.op === "literal" && value.type.kind === "text"
      ? (convertedLiteral(value, timestamp) ?? value)
      : value;
  if (time.type.kind === "timestamptz") {
    const literal = zoneOf(input, zone);
    return literal && callOf("local", [time, literal], { type: timestamp });
  }
  if (time.type.kind !== "timestamp" && time.type.kind !== "date")
    return wrong(input, time, "a date or time");
  if (zone === undefined) return time;
  return refuse(
    input,
    `${input.name} takes a zone for a timestamptz only; this is ${typeName(time.type)}. Where its clock is known, instant(x, 'UTC') makes one.`,
  );
}

function zoneOf(input: CallInput, zone: TypedExpression | undefined): TypedExpression | undefined {
  const value = zone === undefined ? "UTC" : literalText(zone);
  if (value !== undefined && isZone(value)) return { op: "literal", value, type: { kind: "text" } };
  const message = `${JSON.stringify(value ?? typeName(zone?.type ?? timestamp))} is not a time zone; write one of the IANA list, like 'Europe/Berlin' or 'UTC'.`;
  return input.scope.report("zone_unknown", input.path, message);
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

function wrong(input: CallInput, value: TypedExpression | undefined, wanted: string): undefined {
  return mistyped(
    input,
    `${input.name} takes ${wanted}, not ${value ? typeName(value.type) : "nothing"}.`,
  );
}

function wordOf(
  input: CallInput,
  value: TypedExpression | undefined,
  words: readonly string[],
): TypedExpression | undefined {
  const word = literalText(value)?.toLowerCase();
  if (word !== undefined && words.includes(word) && value?.op === "literal")
    return { ...value, value: word };
  const near = word === undefined ? undefined : nearestName(word, words);
  const hint = near === undefined ? `one of ${words.join(", ")}` : `like '${near}'`;
  return refuse(
    input,
    `${input.name} takes a literal ${hint}, not ${JSON.stringify(word ?? "an expression")}.`,
  );
}

function checkAdd(input: CallInput): TypedExpression | undefined {
  const [value, amount, unit] = input.parts;
  const word = wordOf(input, unit, addUnits);
  const number = amount && literalInt(amount);
  if (number === undefined || Math.abs(number) > maxAdded) {
    return refuse(input, `date_add takes a literal whole number of at most ${maxAdded}.`);
  }
  if (value === undefined || amount === undefined || word === undefined) return undefined;
  const { kind } = value.type;
  if (kind !== "date" && kind !== "timestamp" && kind !== "timestamptz")
    return wrong(input, value, "a date or time");
  const isTimeOfDay = ["hour", "minute", "second"].includes(literalText(word) ?? "");
  if (kind === "date" && isTimeOfDay)
    return refuse(input, "A date has no hours; add days, or cast it to timestamp.");
  return callOf("date_add", [value, amount, word], { type: value.type });
}

function dateOf(input: CallInput, value: TypedExpression | undefined): TypedExpression | undefined {
  const date: DataType = { kind: "date" };
  const literal = value?.op === "literal" ? convertedLiteral(value, date) : undefined;
  if (literal !== undefined) return literal;
  return value?.type.kind === "date" ? value : wrong(input, value, "dates; use date(x, zone)");
}
