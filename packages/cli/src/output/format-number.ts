/** A whole number with commas between thousands, the same in every locale. */
export function formatNumber(value: number): string {
  return String(Math.round(value)).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** `1 file`, `2 files`. */
export function formatCount(value: number, noun: string): string {
  return `${formatNumber(value)} ${noun}${value === 1 ? "" : noun.endsWith("s") ? "es" : "s"}`;
}
