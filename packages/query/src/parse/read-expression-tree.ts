import { isRecord } from "@ccl/core/json";
import type { Expression } from "../plan/expression.ts";
import { parseDataType, typeName } from "../plan/data-type.ts";
import { isFunctionName } from "../plan/functions.ts";
import { renderExpression, renderName } from "../render/render-expression.ts";
import { literalOf, literalTypes } from "./literal-value.ts";
import { invalidExpression, PlanSyntaxError, quoted } from "./parse-issue.ts";
import { readExpression } from "./parse-expression.ts";
import { planLimits } from "./plan-limits.ts";
import { guarded, readText, type Read } from "./read-fields.ts";
import { TokenReader } from "./token-reader.ts";

/** Reads an expression of a document: its text form, or a tree, which is first written as text. */
export const readExpressionField: Read<Expression> = (context, value, path) => {
  const text = typeof value === "string" ? value : guarded(context, path, () => treeText(value, 0));
  const found = text === undefined ? undefined : readText(context, text, path, readExpression);
  return found ?? { op: "literal", type: "null", value: null };
};

function treeText(value: unknown, depth: number): string {
  if (typeof value === "string") {
    const reader = new TokenReader(value, { nodes: 0 });
    const expression = readExpression(reader);
    reader.expectEnd();
    return `(${renderExpression(expression)})`;
  }
  const { depth: max } = planLimits;
  if (depth > max)
    throw new PlanSyntaxError("limit_exceeded", `A tree has more than ${max} levels.`);
  if (!isRecord(value)) throw invalid(value, 'an expression: a text, or an object with "op"');
  const { op, ...fields } = value;
  const known = Object.hasOwn(fieldsOf, String(op)) ? fieldsOf[String(op)] : undefined;
  if (known === undefined)
    throw invalid(op, `a kind of expression; there are ${Object.keys(fieldsOf).join(", ")}`);
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new PlanSyntaxError(
      "field_unknown",
      `There is no field ${quoted(unknown)} here. Known are ${known.join(", ")}.`,
    );
  return fieldsText(String(op), fields, (part) => treeText(part, depth + 1));
}

const fieldsOf: Record<string, readonly string[]> = {
  column: ["name"],
  literal: ["type", "value"],
  call: ["function", "arguments"],
  case: ["branches", "otherwise"],
  in: ["value", "list"],
  cast: ["value", "type"],
};

function fieldsText(
  op: string,
  fields: Record<string, unknown>,
  textOf: (part: unknown) => string,
): string {
  const list = (name: string): string => listOf(fields[name]).map(textOf).join(", ");
  switch (op) {
    case "column":
      if (typeof fields["name"] !== "string") throw invalid(fields["name"], "a name");
      return renderName(fields["name"]);
    case "literal": {
      const type = literalTypes.find((name) => name === fields["type"]);
      if (type === undefined) throw invalid(fields["type"], `one of ${literalTypes.join(", ")}`);
      return renderExpression(literalOf(type, fields["value"]));
    }
    case "call":
      if (!isFunctionName(String(fields["function"])))
        throw invalid(fields["function"], "a function");
      // In brackets, since NOT would also take what follows.
      return `(${String(fields["function"])}(${list("arguments")}))`;
    case "in":
      return `(${textOf(fields["value"])} in (${list("list")}))`;
    case "cast": {
      const type = parseDataType(String(fields["type"]));
      if (type === undefined) throw invalid(fields["type"], "a type");
      return `cast(${textOf(fields["value"])} as ${typeName(type)})`;
    }
    default: {
      const branches = listOf(fields["branches"]).map((branch) => {
        if (!isRecord(branch)) throw invalid(branch, "a branch with when and value");
        return ` when ${textOf(branch["when"])} then ${textOf(branch["value"])}`;
      });
      const otherwise = fields["otherwise"] ?? undefined;
      const rest = otherwise === undefined ? "" : ` else ${textOf(otherwise)}`;
      return `case${branches.join("")}${rest} end`;
    }
  }
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw invalid(value, "a list");
}

const invalid = (value: unknown, wanted: string): PlanSyntaxError =>
  invalidExpression(`${quoted(value ?? null)} is not ${wanted}.`);
