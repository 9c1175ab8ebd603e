import { countBytes } from "../content/count-bytes.ts";
import { findElision } from "../content/find-elision.ts";
import { textProblem } from "../content/text-problem.ts";
import { quote } from "../plan-issue.ts";
import type { ActionCheck } from "./action-check.ts";

/** One text that a plan writes. */
export interface WrittenText {
  text: string;
  /** The part that is new, where that is not all of it. */
  added?: string | undefined;
  /** Where it stands below the action. */
  at: (string | number)[];
}

/** Checks what an action would write and returns its size in bytes. */
export function checkContent(texts: readonly WrittenText[], check: ActionCheck): number {
  const { limits, base, add } = check;
  let sizeBytes = 0;
  for (const { text, added = text, at } of texts) {
    sizeBytes += countBytes(text);
    // What is too large is not looked at further: its size is what has to be repaired first.
    if (sizeBytes > limits.maxFileContentBytes) continue;
    const problem = textProblem(text);
    if (problem !== undefined)
      add("ERR_PSEUDO_BINARY", at, `The text ${problem}. Plans write text files only.`);
    const elision = findElision(added, (line) => base?.text?.includes(line.trim()) === true);
    if (elision !== undefined)
      add(
        "ERR_ELISION",
        at,
        `${quote(elision.text)} in line ${elision.line} stands for text left out. Give all of it.`,
      );
  }
  if (sizeBytes > limits.maxFileContentBytes)
    add(
      "ERR_CONTENT_TOO_LARGE",
      [],
      `${sizeBytes} bytes are more than ${limits.maxFileContentBytes} for one file.`,
    );
  return sizeBytes;
}
