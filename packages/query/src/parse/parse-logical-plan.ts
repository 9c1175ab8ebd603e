import { isRecord } from "@ccl/core/json";
import { failure, success, type Result } from "@ccl/core";
import { parseDocument } from "yaml";
import type { LogicalPlan, PlanStep } from "../plan/logical-plan.ts";
import { parseIssue, quoted } from "./parse-issue.ts";
import { readArrow } from "./parse-arrow.ts";
import { planLimits } from "./plan-limits.ts";
import { readFields, readText, report, type Read, type ReadContext } from "./read-fields.ts";
import { readStep } from "./read-step.ts";

/** Options for parsing a plan. */
export interface ParsePlanOptions {
  /** The resource that a bare `scan` in an arrow form reads. Used for snippets of one resource. */
  resource?: string | undefined;
}

/**
 * Parses a plan from YAML, JSON, an arrow form (`scan(id)→filter(...)→agg(...)`), or an already parsed value.
 * `from` defaults to the previous step, names to the operation and position. Issue codes are in
 * `PlanParseIssueCode`.
 */
export function parseLogicalPlan(
  document: unknown,
  options: ParsePlanOptions = {},
): Result<LogicalPlan> {
  const context: ReadContext = { count: { nodes: 0 }, issues: [] };
  const plan =
    typeof document === "string"
      ? planOfText(context, document, options)
      : planOfValue(context, document);
  const [first, ...rest] = context.issues;
  if (first !== undefined) return failure(first, ...rest);
  return plan === undefined
    ? failure(parseIssue("document_invalid", [], "The document contains no plan."))
    : success(plan);
}

function planOfText(
  context: ReadContext,
  text: string,
  { resource }: ParsePlanOptions,
): LogicalPlan | undefined {
  const { textLength } = planLimits;
  if (text.length > textLength) {
    const message = `The plan has ${text.length} characters of at most ${textLength}.`;
    return report(context, "limit_exceeded", [], message);
  }
  if (/^\s*(?:scan|union)\s*(?:\(|→|->|$)/i.test(text)) {
    const steps = readText(context, text, [], (reader) => readArrow(reader, resource));
    return steps && planOfValue(context, { steps });
  }
  const value = readDocument(context, text);
  return context.issues.length > 0 ? undefined : planOfValue(context, value);
}

/** Parses YAML 1.2, which includes JSON. Rejects aliases, anchors and duplicate keys. */
function readDocument(context: ReadContext, text: string): unknown {
  const maxDepth = planLimits.depth * 4;
  if (nestsDeeper(text, maxDepth)) {
    const message = `The document nests deeper than ${maxDepth} levels.`;
    return report(context, "limit_exceeded", [], message);
  }
  try {
    const document = parseDocument(text, {
      uniqueKeys: true,
      merge: false,
      schema: "core",
      prettyErrors: false,
    });
    const [error] = document.errors;
    if (error !== undefined)
      return report(context, "document_invalid", [], yamlMessage(error.message));
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    return value;
  } catch (error) {
    if (error instanceof ReferenceError) {
      const message = "Aliases (*name) are not read; write the part out.";
      return report(context, "alias_refused", [], message);
    }
    // The parser overflowed the stack. `nestsDeeper` does not see every kind of nesting.
    if (error instanceof RangeError)
      return report(context, "limit_exceeded", [], "The document nests too deep.");
    return report(context, "document_invalid", [], `This is not YAML: ${String(error)}.`);
  }
}

function yamlMessage(reason: string): string {
  return `This is not YAML: ${reason.replace(/\.$/, "")}. Within [ ] and { } write an expression with a comma, colon or bracket in double quotes.`;
}

/** True if the text may nest deeper than `max`. Counts open brackets and nesting marks in a line, even in quotes. */
function nestsDeeper(text: string, max: number): boolean {
  let open = 0;
  for (const line of text.split("\n")) {
    const marks = /^[ \t]*(?:[-?:][ \t]+)+/.exec(line)?.[0].replace(/[^-?:]/g, "").length ?? 0;
    if (marks > max) return true;
    for (const character of line) {
      if (character === "[" || character === "{") open += 1;
      if ((character === "]" || character === "}") && open > 0) open -= 1;
      if (open > max) return true;
    }
  }
  return false;
}

function planOfValue(context: ReadContext, value: unknown): LogicalPlan | undefined {
  if (isRecord(value)) return readPlan(context, value, []);
  const message = `${quoted(value ?? null)} is not a plan: write an object with version and steps.`;
  return report(context, "document_invalid", [], message);
}

const readPlan = readFields(({ get, fail }): LogicalPlan => {
  const version = get("version", (_, value) => value ?? 1);
  if (version !== 1)
    fail("document_invalid", `The version is 1, not ${quoted(version)}.`, "version");
  return { version: 1, steps: get("steps", readSteps) };
});

const readSteps: Read<PlanStep[]> = (context, list, path) => {
  const steps: PlanStep[] = [];
  const { steps: max } = planLimits;
  if (!Array.isArray(list) || list.length === 0) {
    const message = "A plan needs a list of steps, the first of them a scan.";
    report(context, "field_missing", path, message);
  } else if (list.length > max) {
    const message = `The plan has ${list.length} steps of at most ${max}.`;
    report(context, "limit_exceeded", path, message);
  } else {
    let previous: string | undefined;
    for (const [index, item] of list.entries()) {
      const step = readStep(index, previous)(context, item, [...path, index]);
      if (step !== undefined) steps.push(step);
      previous = nameOf(step ?? item) ?? `step${index + 1}`;
    }
  }
  return steps;
};

function nameOf(step: unknown): string | undefined {
  return isRecord(step) && typeof step["name"] === "string" ? step["name"] : undefined;
}
