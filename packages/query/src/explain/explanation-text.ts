import { formatCount } from "@ccl/core";

import { typeName } from "../plan/data-type.ts";
import { shownName } from "../plan/derived-name.ts";
import type { TypedExpression, TypedStep } from "../plan/typed-plan.ts";
import {
  renderAggregate,
  renderExpression,
  renderName,
  renderNamed,
} from "../render/render-expression.ts";
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

/** Renders a step for people. */
export function stepText(step: TypedStep): string {
  switch (step.op) {
    case "scan":
      return `scan ${step.resource.id} (${step.columns.map(({ name }) => renderName(name)).join(", ")})`;
    case "filter":
      return `filter ${renderExpression(step.where)}`;
    case "project":
      return `project ${step.values.map((value, index) => named(value, step.columns[index]?.name)).join(", ")}`;
    case "join": {
      const keys = step.on
        .map(({ left, right }) => `${renderExpression(left)} = ${renderExpression(right)}`)
        .join(" and ");
      return `${step.kind} join ${shownName(step.left)} with ${shownName(step.right)} on ${keys}`;
    }
    case "aggregate": {
      const by = step.by.map((value, index) => named(value, step.columns[index]?.name));
      const values = step.aggregates.map(({ function: applied, argument }, index) => {
        const name = step.columns[step.by.length + index]?.name ?? "";
        return renderAggregate({ name, function: applied, argument });
      });
      return `aggregate ${values.join(", ") || "nothing"}${by.length > 0 ? ` by ${by.join(", ")}` : ""}`;
    }
    case "sort":
      return `sort by ${step.by.map(({ column, direction, nulls }) => `${renderName(column)} ${direction}${nulls === "first" ? " nulls first" : ""}`).join(", ")}`;
    case "limit":
      return `limit ${step.count}${step.offset > 0 ? ` after ${step.offset}` : ""}`;
    case "union":
      return `union of ${step.from.map(shownName).join(", ")}`;
    case "distinct":
      return "distinct";
  }
}

function named(value: TypedExpression, name = ""): string {
  return renderNamed({ name, value });
}
