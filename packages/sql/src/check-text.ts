import { SqlError } from "./sql-error.ts";

// Some drivers read text up to its first U+0000 only; all of them make U+FFFD of a lone surrogate, without a word.
// oxlint-disable-next-line no-control-regex
const unkept = /\0|\p{Surrogate}/u;

/** Refuses a text parameter that would not be read back as it was given. */
export function checkText(text: string): void {
  if (!unkept.test(text)) return;
  const what = text.includes("\0") ? "U+0000" : "a lone surrogate";
  throw new SqlError("invalid_input", `A text parameter holds ${what}; store it as bytes.`);
}
