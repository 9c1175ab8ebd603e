/** What a running filter may use up; both throw once a render has had its share. */
export interface FilterMeter {
  /** Characters or items that are about to be written or read. */
  charge(units: number): void;
  checkTime(): void;
}

/** One filter: the value before the bar, then its arguments. May throw a `TemplateError`. */
export type TemplateFilter = (
  meter: FilterMeter,
  value: unknown,
  args: readonly unknown[],
) => unknown;

/** An error of a template whose message is safe to show: it holds no values. */
export class TemplateError extends Error {}

/** The longest text that may be looked for in another: searching costs the product of both at worst. */
const maxPatternChars = 1_024;

/** Charges for looking for a pattern in a text: up to a comparison for each pair of their characters. */
export function chargeSearch(meter: FilterMeter, text: string, pattern: string): void {
  meter.charge(Math.ceil((text.length * pattern.length) / comparisonsPerUnit));
}

// About as many as take the time of writing one character.
const comparisonsPerUnit = 64;

/** An argument that is looked for in a text. */
export function patternOf(value: string): string {
  if (value.length > maxPatternChars) {
    throw new TemplateError(
      `A text to look for has ${value.length} characters; at most ${maxPatternChars} are allowed`,
    );
  }
  return value;
}

/** Calls `visit` for each item, looking at the clock now and then. */
export function eachItem(
  meter: FilterMeter,
  items: readonly unknown[],
  visit: (item: unknown) => void,
): void {
  meter.charge(items.length);
  for (const [index, item] of items.entries()) {
    if ((index & 0x3ff) === 0) meter.checkTime();
    visit(item);
  }
}
