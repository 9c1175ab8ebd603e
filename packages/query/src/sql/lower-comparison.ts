import { sql } from "kysely";
import type { FunctionName } from "../plan/functions.ts";
import { lowered } from "../plan/lowered.ts";
import type { TypedCall, TypedExpression } from "../plan/typed-plan.ts";
import type { Sql } from "./sql-dialect.ts";

/** `lower(x)` compared with constants. Only their letters must be lowered correctly. All others are unequal anyway. */
export interface LowerComparison {
  lower: TypedCall;
  /** Letters outside ASCII that `lower` turns into a letter of the constants. */
  letters: readonly (readonly [letter: string, lower: string])[];
}

const compared: ReadonlySet<FunctionName> = new Set([
  "eq",
  "ne",
  "like",
  "contains",
  "starts_with",
  "ends_with",
]);

/** Undefined for other expressions, and for constants with letters that versions of Unicode lower differently. */
export function lowerComparison(expression: TypedExpression): LowerComparison | undefined {
  const [value, ...constants] = comparedParts(expression);
  if (value?.op !== "call" || value.function !== "lower" || constants.length === 0)
    return undefined;
  const texts = constants.map((part) => (part.op === "literal" ? part.value : undefined));
  if (!texts.every((text) => typeof text === "string")) return undefined;
  const characters = new Set(texts.join(""));
  const isKnown = (character: string): boolean =>
    character < "\u0080" ||
    /[\u3000-\ua48f\uac00-\ud7a3]/.test(character) ||
    (cased.test(character) && lowered(character) === character);
  if (![...characters].every(isKnown)) return undefined;
  const letters = [...capitals].filter(([, lower]) => characters.has(lower));
  return { lower: value, letters };
}

/** SQL that agrees with `lower` for the constants' letters and matches no other letter. `value` is `asciiCased`. */
export function lowerSql({ letters }: LowerComparison, value: Sql): Sql {
  const replaced = letters.reduce(
    (text, [letter, lower]) => sql`replace(${text}, ${sql.lit(letter)}, ${sql.lit(lower)})`,
    value,
  );
  return sql`lower(${replaced})`;
}

/** The compared parts, the one that may be `lower` first. */
function comparedParts(expression: TypedExpression): readonly TypedExpression[] {
  if (expression.op === "in") return [expression.value, ...expression.list];
  if (expression.op !== "call" || !compared.has(expression.function)) return [];
  const [first, second] = expression.arguments;
  const isReversible = expression.function === "eq" || expression.function === "ne";
  return isReversible && first?.op === "literal" && second !== undefined
    ? [second, first]
    : expression.arguments;
}

/** Common Latin, Greek and Cyrillic letters. `signs` are the four others that lower into these or into ASCII. */
const cased = /[\u0080-\u017f\u0370-\u0373\u0376-\u052f]/;
const range = Array.from({ length: 0x530 - 0x80 }, (_, index) => String.fromCharCode(0x80 + index));
const signs = ["\u1e9e", "\u2126", "\u212a", "\u212b"];
const capitals = new Map(
  [...range.filter((character) => cased.test(character)), ...signs]
    .filter((character) => lowered(character) !== character)
    .map((character) => [character, lowered(character)]),
);
