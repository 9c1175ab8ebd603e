/** The first index at which one list differs from the other, or ends. */
export function firstDifference(before: readonly unknown[], now: readonly unknown[]): number {
  const end = Math.min(before.length, now.length);
  let at = 0;
  while (at < end && before[at] === now[at]) at += 1;
  return at;
}
