import { isRecord } from "@ccl/core/json";
import { isFunctionName } from "../plan/functions.ts";
import type { Expression } from "../plan/expression.ts";
import { renderExpression } from "../render/render-expression.ts";
import { literalOf, literalTypes } from "./literal-value.ts";
import { invalidExpression, PlanSyntaxError, quoted } from "./parse-issue.ts";
import { readExpression } from "./parse-expression.ts";
import { planLimits } from "./plan-limits.ts";
import { guarded, readText, type Read } from "./read-fields.ts";
import { TokenReader } from "./token-reader.ts";

/** Reads an expression of a document: its text form, or a tree, which is first written as text. */
export const readExpressionField: Read<Expression> = (context, value, path) => {
  const text =
    typeof value === "string"
      ? value
      : guarded(context, path, () => renderExpression(treeOf(value, 0)));
  const found = text === undefined ? undefined : readText(context, text, path, readExpression);
  return found ?? { op: "literal", type: "null", value: null };
};

/** Reads a tree and checks only its shape. Unknown fields are refused. Parts may be texts. */
function treeOf(value: unknown, depth: number): Expression {
  if (typeof value === "string") {
    const reader = new TokenReader(value, { nodes: 0 });
    const expression = readExpression(reader);
    reader.expectEnd();
    return expression;
  }
  const { depth: max } = planLimits;
  if (depth > max)
    throw new PlanSyntaxError("limit_exceeded", `A tree has more than ${max} levels.`);
  const fields = isRecord(value) ? value : {};
  const tree = nodeOf(fields, (inner) => treeOf(inner, depth + 1));
  if (tree === undefined)
    throw invalidExpression(
      `${quoted(value ?? null)} is no expression: write a text like "amount > 1".`,
    );
  refuseUnknown(Object.keys(fields), Object.keys(tree));
  return tree;
}

function refuseUnknown(fields: readonly string[], known: readonly string[]): void {
  const unknown = fields.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const message = `There is no field ${quoted(unknown)} here. Known are ${known.join(", ")}.`;
  throw new PlanSyntaxError("field_unknown", message);
}

function nodeOf(
  { op, ...fields }: Record<string, unknown>,
  part: (inner: unknown) => Expression,
): Expression | undefined {
  const { name, type, value: inner, list, branches, otherwise, function: called } = fields;
  const { arguments: parts } = fields;
  switch (op) {
    case "column":
      if (typeof name === "string") return { op, name };
      break;
    case "literal": {
      const known = literalTypes.find((each) => each === type);
      if (known !== undefined) return literalOf(known, inner);
      break;
    }
    case "call":
      if (typeof called === "string" && isFunctionName(called) && Array.isArray(parts))
        return { op, function: called, arguments: parts.map(part) };
      break;
    case "in":
      if (Array.isArray(list)) {
        const literals = list.map(part).filter((each) => each.op === "literal");
        if (literals.length === list.length) return { op, value: part(inner), list: literals };
      }
      break;
    case "cast":
      if (typeof type === "string") return { op, value: part(inner), type };
      break;
    case "case":
      if (Array.isArray(branches)) {
        const read = branches.map((branch: unknown) => {
          const { when, value: then, ...rest } = isRecord(branch) ? branch : {};
          refuseUnknown(Object.keys(rest), ["when", "value"]);
          return { when: part(when), value: part(then) };
        });
        const isLast = otherwise === undefined || otherwise === null;
        return { op, branches: read, otherwise: isLast ? undefined : part(otherwise) };
      }
  }
  return undefined;
}
