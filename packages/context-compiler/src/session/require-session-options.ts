import { isFrom, requireIfGiven, requireObject, requireThat, shown } from "../fit/require-that.ts";
import type { SessionOptions } from "./session.ts";

/**
 * Checks a session's options.
 * @throws ContextCompilerError `invalid_options`
 */
export function requireSessionOptions(options: SessionOptions): void {
  requireObject("The options of a session", options);
  const { artifactStore, counter, clock, ids, redact, offloadAboveTokens = 0 } = options;
  requireIfGiven("artifactStore", artifactStore, "store", "retrieve");
  if (counter !== undefined) requireObject("counter", counter, "count");
  if (clock !== undefined) requireObject("clock", clock, "now");
  if (ids !== undefined) requireObject("ids", ids, "next");
  requireThat(
    isFrom(0, offloadAboveTokens),
    `offloadAboveTokens is a number of tokens from 0, not ${shown(offloadAboveTokens)}.`,
  );
  const isMask = (redact ?? false) === false || typeof redact === "function";
  requireThat(isMask, `redact is a function of a text, or false, not ${shown(redact)}.`);
}
