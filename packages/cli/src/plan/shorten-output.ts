import { compress } from "@ccl/compress";

/** Enough for a dozen failures with what was expected. */
const BUDGET_TOKENS = 2_000;

/** What a check printed, as its reader needs it: failures and errors first, repeats once. */
export function shortenOutput(output: string): string {
  return compress(output, { budget: BUDGET_TOKENS, query: "error failed expected" }).text;
}
