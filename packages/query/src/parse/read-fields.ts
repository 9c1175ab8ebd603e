import type { Issue } from "@ccl/core";
import { nearestName } from "../plan/nearest-name.ts";
import { parseIssue, quoted, type IssuePath, type PlanParseIssueCode } from "./parse-issue.ts";
import { PlanSyntaxError } from "./plan-syntax-error.ts";
import type { ResolvedPlanLimits } from "./plan-limits.ts";
import { TokenReader, type NodeCount } from "./token-reader.ts";

/** An object of a document. */
export type DocumentObject = Record<string, unknown>;

/** What the reading of one document shares. */
export interface ReadContext {
  readonly limits: ResolvedPlanLimits;
  readonly count: NodeCount;
  readonly issues: Issue[];
}

/** Notes an issue and gives nothing. */
export function report(
  context: ReadContext,
  code: PlanParseIssueCode,
  at: { path: IssuePath; message: string },
): undefined {
  context.issues.push(parseIssue(code, at.path, at.message));
  return undefined;
}

/** Notes every field that is none of the known ones; absent and null fields are the same. */
export function checkFields(
  context: ReadContext,
  object: DocumentObject,
  at: { path: IssuePath; known: readonly string[] },
): void {
  for (const name of Object.keys(object)) {
    if (at.known.includes(name)) continue;
    const near = nearestName(name, at.known);
    const hint = near === undefined ? `Known are ${at.known.join(", ")}.` : `Did you mean ${near}?`;
    report(context, "field_unknown", {
      path: [...at.path, name],
      message: `There is no field ${quoted(name)} here. ${hint}`,
    });
  }
}

/** A name of a step, a column or a resource: 1 to 200 characters, none of them a control character. */
export function readName(
  context: ReadContext,
  value: unknown,
  path: IssuePath,
): string | undefined {
  if (typeof value !== "string" || value === "") {
    return report(context, "field_missing", {
      path,
      message: `A name is needed here, not ${quoted(value ?? null)}.`,
    });
  }
  const isPlain = value.length <= 200 && !/[\p{Cc}\p{Cs}]/u.test(value);
  if (isPlain) return value;
  return report(context, "name_invalid", {
    path,
    message: `${quoted(value)} is no name: at most 200 characters and no control characters.`,
  });
}

/** A list; notes anything else. */
export function readList(
  context: ReadContext,
  value: unknown,
  path: IssuePath,
): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  return report(context, "field_missing", {
    path,
    message: `A list is needed here, not ${quoted(value ?? null)}.`,
  });
}

/** Reads a text by a rule; what is wrong in it becomes an issue. */
export function readText<T>(
  context: ReadContext,
  text: string,
  at: { path: IssuePath; read: (reader: TokenReader) => T },
): T | undefined {
  return guarded(context, at.path, () => {
    const reader = new TokenReader(text, context.limits, context.count);
    const value = at.read(reader);
    reader.expectEnd();
    return value;
  });
}

/** Runs a reading; a syntax error in it becomes an issue. */
export function guarded<T>(context: ReadContext, path: IssuePath, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof PlanSyntaxError)) throw error;
    return report(context, error.code, { path, message: error.message });
  }
}
