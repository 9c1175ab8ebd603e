import { SqlError } from "./sql-error.ts";

// Some drivers read text only up to its first U+0000, and all of them silently turn a lone surrogate into U+FFFD.
// oxlint-disable-next-line no-control-regex
const unkept = /\0|\p{Surrogate}/u;

/** Rejects a string parameter that would not be read back unchanged. */
export function checkText(text: string): void {
  if (!unkept.test(text)) return;
  const what = text.includes("\0") ? "U+0000" : "a lone surrogate";
  throw new SqlError("invalid_input", `A text parameter contains ${what}; store it as bytes.`);
}
