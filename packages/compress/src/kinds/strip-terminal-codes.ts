/** Control sequences, strings that end at BEL or ST (such as titles and links), and short escapes. */
const codes = new RegExp(
  String.raw`\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\0-\x1f]*(?:\x07|\x1b\\)|[ -/]*[0-~])`,
  "g",
);

/**
 * Removes terminal escape sequences, such as those that set colors, move the cursor, or set the
 * title.
 */
export function stripTerminalCodes(text: string): string {
  return text.replace(codes, "");
}
