import { CclError, type Issue } from "@ccl/core";
import { isRecord } from "@ccl/core/json";

/** The document that `--json` prints when a command fails. */
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
  const given = isRecord(error.details) ? error.details["issues"] : undefined;
  const issues = Array.isArray(given) ? given.filter(isIssue) : undefined;
  return { error: { code: error.code, message, issues } };
}

function isIssue(value: unknown): value is Issue {
  return isRecord(value) && "code" in value && "message" in value && "path" in value;
}
