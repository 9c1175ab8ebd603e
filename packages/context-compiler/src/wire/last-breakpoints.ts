import { requireThat, shown } from "../fit/require-that.ts";

/** What Anthropic takes in one request; one more is refused. */
const mostBreakpoints = 4;

/** The last 4 indexes that are among the messages, the longest prefixes. Throws `invalid_options` for what is no list. */
export function lastBreakpoints(
  breakpoints: readonly number[],
  messages: readonly unknown[],
): ReadonlySet<number> {
  requireThat(
    Array.isArray(breakpoints),
    `breakpoints is a list of indexes of messages, not ${shown(breakpoints)}.`,
  );
  const indexes = [...new Set(breakpoints)].filter((index) => Object.hasOwn(messages, index));
  return new Set(indexes.sort((a, b) => a - b).slice(-mostBreakpoints));
}
