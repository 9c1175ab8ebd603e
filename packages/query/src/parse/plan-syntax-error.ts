import type { PlanParseIssueCode } from "./parse-issue.ts";

/** Ends the reading of one text; caught where the text began and turned into an issue. Never leaves the package. */
export class PlanSyntaxError extends Error {
  readonly code: PlanParseIssueCode;

  constructor(code: PlanParseIssueCode, message: string) {
    super(message);
    this.code = code;
  }
}
