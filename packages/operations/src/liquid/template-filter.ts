import type { Context } from "liquidjs";

import { textOfValue } from "./text-of-value.ts";

/** An error of a template whose message is safe to show: it holds no values. */
export class TemplateError extends Error {}

/** What a running filter may use up; both throw once a render has had its share. */
export interface FilterMeter {
  /** Characters or items that are about to be written or read. */
  charge(units: number): void;
  checkTime(): void;
}

/** The meter of a render. */
export function meterOf(context: Context): FilterMeter {
  return {
    charge: (units) => context.memoryLimit.use(units),
    checkTime: () => context.renderLimit.check(performance.now()),
  };
}

/** A value as a template prints it, charged before it is used. */
export function filterText(meter: FilterMeter, value: unknown): string {
  const text = textOfValue(value);
  if (!text.ok) throw new TemplateError("A value is no JSON and cannot be printed");
  meter.charge(text.value.length);
  return text.value;
}

/** The longest text that may be looked for in another: searching costs the product of both at worst. */
const maxPatternChars = 1_024;

/** An argument that is looked for in a text. */
export function patternOf(value: string): string {
  if (value.length <= maxPatternChars) return value;
  throw new TemplateError(
    `A text to look for has ${value.length} characters; at most ${maxPatternChars} are allowed`,
  );
}

// About as many comparisons as take the time of writing one character.
const comparisonsPerUnit = 64;

/** Charges for looking for a pattern in a text: up to a comparison for each pair of their characters. */
export function chargeSearch(meter: FilterMeter, text: string, pattern: string): void {
  meter.charge(Math.ceil((text.length * pattern.length) / comparisonsPerUnit));
}

/** Refuses to look for a list or an object: comparing them costs as much as they are large. */
export function requireScalar(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  throw new TemplateError(
    "Lists and objects cannot be looked for; compare with a text, a number or a boolean",
  );
}
