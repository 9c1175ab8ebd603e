import { groupDigits } from "@ccl/core";

export { formatCount } from "@ccl/core";

/** Formats a whole number with commas between thousands, the same in every locale. */
export function formatNumber(value: number): string {
  return groupDigits(Math.round(value));
}

/** Ends a text with a line feed. Empty for no text. */
export function lineOf(text: string): string {
  return text === "" ? "" : `${text}\n`;
}

/** The first five names, and how many more there are. */
export function few(names: readonly string[]): string {
  const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
  return names.slice(0, 5).join(", ") + more;
}
