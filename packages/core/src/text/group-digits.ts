/** Returns a whole number with commas between thousands, the same in every locale: `1,234`. */
export function groupDigits(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}
