import { WireError } from "./wire-error.ts";

/** The maximum that Anthropic accepts in one request. */
const maxBreakpoints = 4;

/**
 * The last 4 of the indexes that are in range: the longest prefixes.
 * @throws WireError `invalid_options` if `breakpoints` is not a list.
 */
export function lastBreakpoints(
  breakpoints: readonly number[],
  messages: readonly unknown[],
): ReadonlySet<number> {
  if (!Array.isArray(breakpoints)) {
    const message = `breakpoints is a list of indexes of messages, not ${JSON.stringify(breakpoints)}.`;
    throw new WireError("invalid_options", message);
  }
  const indexes = [...new Set(breakpoints)].filter((index) => Object.hasOwn(messages, index));
  return new Set(indexes.sort((a, b) => a - b).slice(-maxBreakpoints));
}
