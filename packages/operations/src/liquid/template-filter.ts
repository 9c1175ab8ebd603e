import type { Context } from "liquidjs";

import { textOfValue } from "./text-of-value.ts";

/** A template error whose message is safe to show, since it contains no values. */
export class TemplateError extends Error {}

/** Limits what a running filter consumes. Both methods throw once the render has exceeded its limit. */
export interface FilterMeter {
  /** Charges for characters or items before they are written or read. */
  charge(units: number): void;
  checkTime(): void;
}

/** Returns the meter of a render. */
export function meterOf(context: Context): FilterMeter {
  return {
    charge: (units) => context.memoryLimit.use(units),
    checkTime: () => context.renderLimit.check(performance.now()),
  };
}

/** Cost of one item in a filter: about the time it takes to produce that many characters. */
export const itemWork = 16;

/** Converts a number, or a string that contains one. Returns 0 for anything else. */
export function numberOf(value: unknown): number {
  const read = typeof value === "string" && value.length < 64 ? Number(value) : value;
  return typeof read === "number" && !Number.isNaN(read) ? read : 0;
}

/** Converts a value to text for a template. Charges the meter first. */
export function filterText(meter: FilterMeter, value: unknown): string {
  const text = textOfValue(value);
  if (!text.ok) throw new TemplateError("A value is not JSON and cannot be printed");
  meter.charge(text.value.length);
  return text.value;
}

/** Maximum length of a search string. In the worst case a search costs the product of both lengths. */
const maxPatternChars = 1_024;

/** Converts an argument to a search string. */
export function patternOf(value: string): string {
  if (value.length <= maxPatternChars) return value;
  throw new TemplateError(
    `A text to look for has ${value.length} characters; at most ${maxPatternChars} are allowed`,
  );
}

// Comparisons that take about as long as writing one character.
const comparisonsPerUnit = 64;

/** Charges for searching a text for a pattern: up to one comparison for each pair of their characters. */
export function chargeSearch(meter: FilterMeter, text: string, pattern: string): void {
  meter.charge(Math.ceil((text.length * pattern.length) / comparisonsPerUnit));
}

/** Rejects a list or an object as the search value, since comparisons get slower as it grows. */
export function requireScalar(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  throw new TemplateError(
    "Lists and objects cannot be looked for; compare with a text, a number or a boolean",
  );
}
