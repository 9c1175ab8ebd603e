import { formatCount } from "@ccl/core";

import { conditionSigns, type SimpleCondition } from "../connector/simple-condition.ts";
import { isNumeric, typeName } from "../plan/data-type.ts";
import type { PlanStep } from "../plan/logical-plan.ts";
import { renderName } from "../plan/reserved-words.ts";
import type { TypedStep } from "../plan/typed-plan.ts";
import { quoteText } from "../sql/print-expression.ts";
import type { ExplainedSource, ExplainedStep, ExplanationBody } from "./plan-explanation.ts";

/** Renders an explanation for people. */
export function explanationText({
  sources,
  local,
  columns,
  cost,
  warnings,
}: ExplanationBody): string {
  const lines = sources.flatMap(sourceLines);
  if (local.length > 0) lines.push("here:", ...local.map(stepLine));
  lines.push(
    `result: ${columns.map(({ name, type }) => `${renderName(name)} ${typeName(type)}`).join(", ")}`,
  );
  lines.push(
    `moved: ${aboutRows(cost.rows)}, ${aboutBytes(cost.bytes)}${cost.latencyMs === undefined ? "" : `, ${cost.latencyMs} ms of latency`}`,
  );
  lines.push(...warnings.map(({ code, message }) => `warning ${code}: ${message}`));
  return `${lines.join("\n")}\n`;
}

function sourceLines({ name, steps, columns, rows, bytes }: ExplainedSource): string[] {
  const shown = columns.map((column) => renderName(column.name)).join(", ");
  return [
    `${name}:`,
    ...steps.map(stepLine),
    `  gives: ${shown}; ${aboutRows(rows)}, ${aboutBytes(bytes)}`,
  ];
}

function stepLine({ name, text }: ExplainedStep): string {
  return `  ${name}: ${text}`;
}

function aboutRows(rows: number | undefined): string {
  return rows === undefined ? "rows unknown" : `about ${formatCount(rows, "row")}`;
}

function aboutBytes(bytes: number | undefined): string {
  if (bytes === undefined) return "bytes unknown";
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.min(
    units.length - 1,
    Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)),
  );
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${units[power]}`;
}

/** Renders a step for people. A scan lists the columns that it reads. */
export function stepText(step: PlanStep, { columns }: Pick<TypedStep, "columns">): string {
  switch (step.op) {
    case "scan":
      return `scan ${step.resource} (${columns.map(({ name }) => renderName(name)).join(", ")})`;
    case "filter":
    case "project":
    case "aggregate":
      return `${step.op} ${step.text ?? ""}`;
    case "join": {
      const keys = step.on.map(({ left, right }) => `${renderName(left)} = ${renderName(right)}`);
      return `${step.kind} join ${step.left} with ${step.right} on ${keys.join(" and ")}`;
    }
    case "sort":
      return `sort by ${step.by.map(({ column, direction, nulls }) => `${renderName(column)} ${direction}${nulls === "first" ? " nulls first" : ""}`).join(", ")}`;
    case "limit":
      return `limit ${step.count}${step.offset ? ` after ${step.offset}` : ""}`;
    case "union":
      return `union of ${step.from.join(", ")}`;
    case "distinct":
      return "distinct";
  }
}

/** Renders a condition that is sent to a source. */
export function conditionText({ column, operator, type, values }: SimpleCondition): string {
  const isNumber = isNumeric(type) || type.kind === "bool";
  const shown = values.map((value) => (isNumber ? String(value) : quoteText(String(value))));
  return operator === "in"
    ? `${renderName(column)} in (${shown.join(", ")})`
    : `${renderName(column)} ${conditionSigns[operator]} ${shown.join("")}`;
}
