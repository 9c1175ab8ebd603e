import { groupDigits } from "./group-digits.ts";

/** Formats a count with its noun: `1 file`, `1,234 files`, `2 classes`. */
export function formatCount(count: number, noun: string): string {
  return `${groupDigits(count)} ${noun}${count === 1 ? "" : noun.endsWith("s") ? "es" : "s"}`;
}
