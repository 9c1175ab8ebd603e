import { type ChatMessage, type Issue, truncateMiddle } from "@ccl/core";

import { formatPointer } from "../json-schema/json-pointer.ts";
import type { JsonSchema } from "../json-schema/json-schema.ts";
import type { StructuredFormat } from "./format-ladder.ts";
import { schemaText } from "./schema-instruction.ts";

const maxShownIssues = 20;
const maxChars = 40_000;
const marker = (removed: number): string => `...[TRUNCATED ${removed} chars]...`;

/** Options for requesting a better answer. */
export interface RepairMessagesOptions {
  /** Default: `none`. With other formats, the decoder starts a new value, so a truncated answer cannot be continued. */
  format?: StructuredFormat | undefined;
  /** Repeated for models that may never have seen it. */
  schema?: JsonSchema | undefined;
}

/**
 * Returns the turns to append if an answer does not fit: the answer, and its issues by JSON Pointer and rule. After
 * `ERR_TRUNCATED`, asks the model to continue or be briefer. Answers over 40,000 characters are cut in the middle.
 * Issues beyond 20 are only counted.
 */
export function repairMessages(
  issues: readonly Issue[],
  answer: string,
  options: RepairMessagesOptions = {},
): ChatMessage[] {
  const request = [issues.some(isTruncation) ? truncationRequest(options) : repairRequest(issues)];
  if (options.schema !== undefined)
    request.push(`The JSON Schema is:\n${schemaText(options.schema)}`);
  const turns: ChatMessage[] = [{ role: "user", content: request.join("\n") }];
  // Providers reject an empty assistant turn.
  return answer.trim() === ""
    ? turns
    : [{ role: "assistant", content: truncateMiddle(answer, { maxChars, marker }).text }, ...turns];
}

/** True for a truncated answer's issue. */
export function isTruncation(issue: Issue): boolean {
  return issue.code === "ERR_TRUNCATED";
}

function truncationRequest({ format = "none" }: RepairMessagesOptions): string {
  const cut = "Your answer was cut off before its end.";
  if (format !== "none") return `${cut} Send the whole JSON value again, shorter.`;
  return `${cut} Go on exactly where it stopped: send only what is missing and repeat nothing. If you cannot, send the whole JSON value again, shorter.`;
}

function repairRequest(issues: readonly Issue[]): string {
  const lines = issues.slice(0, maxShownIssues).map(({ path, message, code }) => {
    return `- ${path.length === 0 ? "(root)" : formatPointer(path)} [${code}] ${message}`;
  });
  const left = issues.length - lines.length;
  return [
    "Your answer cannot be used:",
    ...lines,
    ...(left > 0 ? [`- and ${left} more`] : []),
    "Answer again with the whole corrected JSON value and nothing else: no prose and no code fence.",
  ].join("\n");
}
