import { countBytes } from "../content/count-bytes.ts";
import { textProblem } from "../content/text-problem.ts";
import type { ActionCheck } from "./action-check.ts";

/** Checks text an action would write, and counts its bytes. */
export function checkContent(text: string, at: (string | number)[], check: ActionCheck): void {
  const { limits, add, addBytes } = check;
  const sizeBytes = countBytes(text);
  addBytes(sizeBytes);
  // Text that is too large is not checked further, since its size must be fixed first.
  if (sizeBytes > limits.maxFileContentBytes)
    add(
      "ERR_CONTENT_TOO_LARGE",
      [],
      `${sizeBytes} bytes are more than ${limits.maxFileContentBytes} for one file.`,
    );
  else {
    const problem = textProblem(text);
    if (problem !== undefined)
      add("ERR_PSEUDO_BINARY", at, `The text ${problem}. Plans write text files only.`);
  }
}
