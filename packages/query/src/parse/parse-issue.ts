import type { Issue } from "@ccl/core";
import { quotedName } from "../plan/nearest-name.ts";

/**
 * Issue codes of `parseLogicalPlan`. `document_invalid`: neither YAML, JSON nor an arrow form. `step_invalid` and
 * `expression_invalid`: a part that cannot be parsed, with what was expected. `field_unknown`, `field_missing`,
 * `literal_invalid`, `name_invalid`. `limit_exceeded`: longer, deeper or larger than allowed. `alias_refused`.
 */
export type PlanParseIssueCode =
  | "document_invalid"
  | "step_invalid"
  | "expression_invalid"
  | "field_unknown"
  | "field_missing"
  | "literal_invalid"
  | "name_invalid"
  | "limit_exceeded"
  | "alias_refused";

/** Path in the document. */
export type IssuePath = (string | number)[];

/** Creates an issue with one of these codes. */
export function parseIssue(code: PlanParseIssueCode, path: IssuePath, message: string): Issue {
  return { code, path, message };
}

/** Quotes the beginning of the input on one line. */
export function quoted(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  return quotedName(text);
}

/** Thrown to stop parsing a string. The parser's caller converts it to an issue. It never leaves the package. */
export class PlanSyntaxError extends Error {
  readonly code: PlanParseIssueCode;

  constructor(code: PlanParseIssueCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Creates the error for text or a tree that is not an expression or a step. */
export function invalidExpression(message: string): PlanSyntaxError {
  return new PlanSyntaxError("expression_invalid", message);
}
