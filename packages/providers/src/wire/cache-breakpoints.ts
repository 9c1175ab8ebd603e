/** Anthropic's limit per request. */
const maxBreakpoints = 4;

/** Returns the last 4 indexes that are in range, which mark the longest prefixes. */
export function lastBreakpoints(
  breakpoints: readonly number[],
  messages: readonly unknown[],
): ReadonlySet<number> {
  const indexes = [...new Set(breakpoints)].filter((index) => Object.hasOwn(messages, index));
  return new Set(indexes.sort((a, b) => a - b).slice(-maxBreakpoints));
}
