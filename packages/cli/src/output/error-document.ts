import { CclError, type Issue } from "@ccl/core";

/** What `--json` prints when a command fails. */
export interface ErrorDocument {
  error: {
    /** The error code of the library or the command. `unexpected` for anything else. */
    code: string;
    message: string;
    issues?: Issue[] | undefined;
  };
}

/** Describes anything thrown, with all its issues. */
export function errorDocument(error: unknown): ErrorDocument {
  const message = error instanceof Error ? error.message : String(error);
  if (!CclError.isInstance(error)) return { error: { code: "unexpected", message } };
  const issues = issuesOf(error.details);
  return { error: { code: error.code, message, issues } };
}

function issuesOf(details: unknown): Issue[] | undefined {
  if (typeof details !== "object" || details === null || !("issues" in details)) return undefined;
  return Array.isArray(details.issues) ? details.issues.filter(isIssue) : undefined;
}

function isIssue(value: unknown): value is Issue {
  return (
    typeof value === "object" &&
    value !== null &&
    "code" in value &&
    "message" in value &&
    "path" in value
  );
}
