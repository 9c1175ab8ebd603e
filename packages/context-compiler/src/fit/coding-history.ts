import type { ChatMessage } from "@ccl/core";

/** Number of latest calls to check. */
const lastCalls = 40;
const fewestCalls = 8;
/** Argument names used by tools that run commands or read and edit files. */
const codingArguments =
  /^\s*\{\s*(?:"description"\s*:\s*"[^"]*"\s*,\s*)?"(?:command|cmd|script|file_path|filename|old_str(?:ing)?|patch)"\s*:/;

/** True if half or more of the latest calls are those of a coding agent. */
export function isCodingHistory(messages: readonly ChatMessage[]): boolean {
  let calls = 0;
  let coding = 0;
  for (let at = messages.length - 1; at >= 0 && calls < lastCalls; at -= 1) {
    for (const { arguments: input } of messages[at]?.toolCalls ?? []) {
      calls += 1;
      if (codingArguments.test(input.slice(0, 500))) coding += 1;
    }
  }
  return calls >= fewestCalls && coding * 2 >= calls;
}
