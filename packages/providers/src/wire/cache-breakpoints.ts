/** The maximum that Anthropic accepts in one request. */
const maxBreakpoints = 4;

/** The last 4 of the indexes that are in range: the longest prefixes. */
export function lastBreakpoints(
  breakpoints: readonly number[],
  messages: readonly unknown[],
): ReadonlySet<number> {
  const indexes = [...new Set(breakpoints)].filter((index) => Object.hasOwn(messages, index));
  return new Set(indexes.sort((a, b) => a - b).slice(-maxBreakpoints));
}
