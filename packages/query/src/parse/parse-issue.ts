import type { Issue } from "@ccl/core";

/**
 * What `parseLogicalPlan` finds wrong. `document_invalid`: neither YAML, JSON nor an arrow form; `step_invalid`,
 * `expression_invalid`: a part that does not read, with what was expected; `field_unknown`, `field_missing`;
 * `literal_invalid`; `name_invalid`; `limit_exceeded`: longer, deeper or larger than the limits; `alias_refused`.
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

/** Where in the document. */
export type IssuePath = (string | number)[];

/** An issue of this closed union. */
export function parseIssue(code: PlanParseIssueCode, path: IssuePath, message: string): Issue {
  return { code, path, message };
}

/** At most 40 characters of what was written, safe for one line. */
export function quoted(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  const short = text.length > 40 ? `${text.slice(0, 40)}...` : text;
  return JSON.stringify(short);
}

/** Ends the reading of one text; caught where the text began and turned into an issue. Never leaves the package. */
export class PlanSyntaxError extends Error {
  readonly code: PlanParseIssueCode;

  constructor(code: PlanParseIssueCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** An error of a text or a tree that is no expression, or no step. */
export function invalidExpression(message: string): PlanSyntaxError {
  return new PlanSyntaxError("expression_invalid", message);
}
