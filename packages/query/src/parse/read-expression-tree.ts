import { isRecord } from "@ccl/core/json";
import type { Expression, InExpression, LiteralExpression } from "../plan/expression.ts";
import { parseDataType, typeName } from "../plan/data-type.ts";
import { functionArguments, isFunctionName } from "../plan/functions.ts";
import { nearestName } from "../plan/nearest-name.ts";
import { literalOf } from "./literal-value.ts";
import { quoted, type IssuePath } from "./parse-issue.ts";
import { readExpression } from "./parse-expression.ts";
import { PlanSyntaxError } from "./plan-syntax-error.ts";
import {
  checkFields,
  guarded,
  readList,
  readName,
  readText,
  report,
  type DocumentObject,
  type ReadContext,
} from "./read-fields.ts";

const literalTypes = [
  "bool",
  "int",
  "float",
  "decimal",
  "text",
  "date",
  "timestamp",
  "timestamptz",
  "null",
] as const;

/** An expression of a document: its text form, or its tree. Undefined where it does not read; the issues say why. */
export function readExpressionField(
  context: ReadContext,
  value: unknown,
  path: IssuePath,
): Expression | undefined {
  if (typeof value === "string") return readText(context, value, { path, read: readExpression });
  return readTree(context, value, { path, depth: 0 });
}

interface Place {
  path: IssuePath;
  depth: number;
}

function readTree(
  context: ReadContext,
  value: unknown,
  { path, depth }: Place,
): Expression | undefined {
  context.count.nodes += 1;
  if (depth > context.limits.depth || context.count.nodes > context.limits.nodes) {
    const bound =
      depth > context.limits.depth
        ? `${context.limits.depth} levels`
        : `${context.limits.nodes} parts`;
    return report(context, "limit_exceeded", {
      path,
      message: `The expressions of the plan have more than ${bound}.`,
    });
  }
  if (!isRecord(value)) {
    return report(context, "expression_invalid", {
      path,
      message: `${quoted(value ?? null)} is no expression: write its text, or an object with "op".`,
    });
  }
  const child = (part: unknown, ...at: IssuePath): Expression | undefined =>
    typeof part === "string"
      ? readText(context, part, { path: [...path, ...at], read: readExpression })
      : readTree(context, part, { path: [...path, ...at], depth: depth + 1 });
  const reader = readers[String(value["op"])];
  if (reader !== undefined && Object.hasOwn(readers, String(value["op"]))) {
    checkFields(context, value, { path, known: ["op", ...reader.fields] });
    return reader.read({ context, object: value, path, child });
  }
  const message = `${quoted(value["op"] ?? null)} is no kind of expression; there are ${Object.keys(readers).join(", ")}.`;
  return report(context, "expression_invalid", { path: [...path, "op"], message });
}

interface TreeInput {
  context: ReadContext;
  object: DocumentObject;
  path: IssuePath;
  child(part: unknown, ...at: IssuePath): Expression | undefined;
}

const readers: Record<
  string,
  { fields: readonly string[]; read(input: TreeInput): Expression | undefined }
> = {
  column: {
    fields: ["name"],
    read({ context, object, path }) {
      const name = readName(context, object["name"], [...path, "name"]);
      return name === undefined ? undefined : { op: "column", name };
    },
  },
  literal: {
    fields: ["type", "value"],
    read: ({ context, object, path }) => readLiteral(context, object, path),
  },
  call: { fields: ["function", "arguments"], read: readCallTree },
  case: { fields: ["branches", "otherwise"], read: readCaseTree },
  in: { fields: ["value", "list"], read: readInTree },
  cast: {
    fields: ["value", "type"],
    read({ context, object, path, child }) {
      const value = child(object["value"], "value");
      const type = typeof object["type"] === "string" ? parseDataType(object["type"]) : undefined;
      if (type === undefined) {
        const message = `${quoted(object["type"] ?? null)} is no type; there are bool, int, float, decimal(p,s), text, date, timestamp, timestamptz.`;
        return report(context, "expression_invalid", { path: [...path, "type"], message });
      }
      return value === undefined ? undefined : { op: "cast", value, type: typeName(type) };
    },
  },
};

function readLiteral(
  context: ReadContext,
  object: DocumentObject,
  path: IssuePath,
): LiteralExpression | undefined {
  return guarded(context, path, () => {
    const type = literalTypes.find((name) => name === object["type"]);
    if (type !== undefined) return literalOf(type, object["value"]);
    throw new PlanSyntaxError(
      "literal_invalid",
      `A literal's type is one of ${literalTypes.join(", ")}, not ${quoted(object["type"] ?? null)}.`,
    );
  });
}

function readCallTree({ context, object, path, child }: TreeInput): Expression | undefined {
  const name = object["function"];
  if (typeof name !== "string" || !isFunctionName(name)) {
    const near =
      typeof name === "string" ? nearestName(name, Object.keys(functionArguments)) : undefined;
    const message = `There is no function ${quoted(name ?? null)}.${near === undefined ? "" : ` Did you mean ${near}?`}`;
    return report(context, "expression_invalid", { path: [...path, "function"], message });
  }
  const list = readList(context, object["arguments"] ?? [], [...path, "arguments"]);
  if (list === undefined) return undefined;
  const parts = list.flatMap((part, index) => child(part, "arguments", index) ?? []);
  const [least, most] = functionArguments[name];
  if (list.length < least || list.length > most) {
    const message = `${name} takes ${least}${most === least ? "" : ` to ${most}`} arguments, not ${list.length}.`;
    return report(context, "expression_invalid", { path: [...path, "arguments"], message });
  }
  return parts.length === list.length
    ? { op: "call", function: name, arguments: parts }
    : undefined;
}

function readCaseTree({ context, object, path, child }: TreeInput): Expression | undefined {
  const list = readList(context, object["branches"], [...path, "branches"]);
  if (list === undefined) return undefined;
  if (list.length === 0)
    return report(context, "expression_invalid", {
      path,
      message: "A case needs at least one branch.",
    });
  const branches = list.flatMap((branch, index) => {
    if (!isRecord(branch)) {
      report(context, "expression_invalid", {
        path: [...path, "branches", index],
        message: "A branch is an object with when and value.",
      });
      return [];
    }
    checkFields(context, branch, { path: [...path, "branches", index], known: ["when", "value"] });
    const when = child(branch["when"], "branches", index, "when");
    const value = child(branch["value"], "branches", index, "value");
    return when === undefined || value === undefined ? [] : [{ when, value }];
  });
  const rest = object["otherwise"] ?? undefined;
  const otherwise = rest === undefined ? undefined : child(rest, "otherwise");
  if (branches.length < list.length || (rest !== undefined && otherwise === undefined))
    return undefined;
  return { op: "case", branches, otherwise };
}

function readInTree({ context, object, path, child }: TreeInput): InExpression | undefined {
  const value = child(object["value"], "value");
  const list = readList(context, object["list"], [...path, "list"]);
  if (list === undefined) return undefined;
  const items = list.flatMap((item, index) => {
    context.count.nodes += 1;
    const literal = isRecord(item)
      ? readLiteral(context, { type: item["type"], value: item["value"] }, [...path, "list", index])
      : undefined;
    if (literal !== undefined && literal.type !== "null") return [literal];
    report(context, "expression_invalid", {
      path: [...path, "list", index],
      message: "The list of IN holds literals other than null.",
    });
    return [];
  });
  if (list.length === 0)
    report(context, "expression_invalid", {
      path: [...path, "list"],
      message: "The list of IN is empty.",
    });
  return value === undefined || items.length < list.length || list.length === 0
    ? undefined
    : { op: "in", value, list: items };
}
