import { sql } from "kysely";
import type { FunctionName } from "../plan/functions.ts";
import { lowered } from "../plan/lowered.ts";
import type { TypedCall, TypedExpression } from "../plan/typed-plan.ts";
import type { Sql } from "./sql-dialect.ts";

/** `lower(x)` beside constants. Their letters are all that it has to get right: any other letter is merely unequal. */
export interface LowerComparison {
  lower: TypedCall;
  /** The letters outside ASCII that `lower` turns into a letter of the constants. */
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

/** Undefined for any other expression, and for constants with letters that versions of Unicode disagree about. */
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

/** Equal to `lower` wherever that gives a letter of the constants, and nowhere else; `value` is `asciiCased`. */
export function lowerSql({ letters }: LowerComparison, value: Sql): Sql {
  const replaced = letters.reduce(
    (text, [letter, lower]) => sql`replace(${text}, ${sql.lit(letter)}, ${sql.lit(lower)})`,
    value,
  );
  return sql`lower(${replaced})`;
}

/** The side with `lower` first. */
function comparedParts(expression: TypedExpression): readonly TypedExpression[] {
  if (expression.op === "in") return [expression.value, ...expression.list];
  if (expression.op !== "call" || !compared.has(expression.function)) return [];
  const [first, second] = expression.arguments;
  const isReversible = expression.function === "eq" || expression.function === "ne";
  return isReversible && first?.op === "literal" && second !== undefined
    ? [second, first]
    : expression.arguments;
}

/** Latin, Greek and Cyrillic as most texts have them, and the four signs outside that become one of them or of ASCII. */
const cased = /[\u0080-\u017f\u0370-\u0373\u0376-\u052f]/;
const range = Array.from({ length: 0x530 - 0x80 }, (_, index) => String.fromCharCode(0x80 + index));
const signs = ["\u1e9e", "\u2126", "\u212a", "\u212b"];
const capitals = new Map(
  [...range.filter((character) => cased.test(character)), ...signs]
    .filter((character) => lowered(character) !== character)
    .map((character) => [character, lowered(character)]),
);
