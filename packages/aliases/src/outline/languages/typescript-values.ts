import type { SyntaxNode } from "../syntax-node.ts";
import { compactNode, parameterListEdits } from "./typescript-slices.ts";

const MAX_VALUE_CHARACTERS = 40;
const FUNCTIONS = new Set(["arrow_function", "function_expression", "generator_function"]);
const LITERALS = new Set(["string", "template_string", "number"]);
const PLAIN_REGEX = /^\/[^"'`()[\]{}\\/]*\/\w*$/;
const WRAPPERS = new Set([
  "parenthesized_expression",
  "non_null_expression",
  "as_expression",
  "satisfies_expression",
]);

/** Renders a function's type parameters, parameters and return type as a function type. */
function functionType(node: SyntaxNode): string {
  const parameters = node.field("parameters") ?? node.field("parameter");
  const returned = node.field("return_type");
  const isAsync = node.children[0]?.type === "async";
  const result =
    returned === undefined
      ? isAsync
        ? "Promise<…>"
        : "…"
      : compactNode(returned).replace(/^: ?/, "");
  if (parameters === undefined) return `(…) => ${result}`;
  const from = (node.field("type_parameters") ?? parameters).start;
  const edits = parameterListEdits(parameters);
  const list = compactNode(node, { from, end: parameters.end, edits });
  return `${list.endsWith(")") ? list : `(${list})`} => ${result}`;
}

/** Renders a key in shorthand. A key that is not an identifier gets the value `…`. */
function keyText(property: SyntaxNode): string {
  const key = property.field("key") ?? property.field("name") ?? property;
  const text = key.length > MAX_VALUE_CHARACTERS ? "…" : compactNode(key);
  return /^(?:string|number|computed_property_name)$/.test(key.type) ? `${text}: …` : text;
}

function objectKeys(node: SyntaxNode): string {
  const keys = node.parts.map(keyText);
  return keys.length === 0 ? "{}" : `{ ${keys.join(", ")} }`;
}

/** Renders a chain of calls as `a.b(…).c`. Starts from the end, because chains nest to the left. */
function calleeChain(node: SyntaxNode): string {
  let suffix = "";
  let rest: SyntaxNode | undefined = node;
  while (rest !== undefined && rest.length > MAX_VALUE_CHARACTERS) {
    if (rest.type === "call_expression") {
      suffix = `(…)${suffix}`;
      rest = rest.field("function");
    } else if (rest.type === "member_expression") {
      const property: SyntaxNode | undefined = rest.field("property");
      suffix = `.${property === undefined ? "…" : property.text}${suffix}`;
      rest = rest.field("object");
    } else return `…${suffix}`;
  }
  return (rest === undefined ? "…" : compactNode(rest)) + suffix;
}

function callHead(node: SyntaxNode): string {
  const isNew = node.type === "new_expression";
  const callee = node.field(isNew ? "constructor" : "function");
  const types = node.field("type_arguments");
  const name = callee === undefined ? "…" : calleeChain(callee);
  return `${isNew ? "new " : ""}${name}${types === undefined ? "" : compactNode(types)}(…)`;
}

function shapeOf(node: SyntaxNode): string {
  switch (node.type) {
    case "object":
      return objectKeys(node);
    case "array":
      return `[…${node.parts.length}]`;
    case "call_expression":
    case "new_expression":
      return callHead(node);
    case "class":
      return "class {…}";
    default:
      return "…";
  }
}

/** Unwraps parentheses, `!`, `as const` and `satisfies`. Returns the value, and the type if there is an `as`. */
function unwrapped(node: SyntaxNode): { value: SyntaxNode; type: SyntaxNode | undefined } {
  let value = node;
  while (WRAPPERS.has(value.type)) {
    const type = value.children.at(-1);
    if (value.type === "as_expression" && type !== undefined && type.type !== "const")
      return { value, type };
    const inner = value.parts[0];
    if (inner === undefined) break;
    value = inner;
  }
  return { value, type: undefined };
}

/**
 * Returns the text after the name of a value without a declared type: `: type` if it can be
 * inferred, otherwise ` = ` and the value's shape.
 */
export function initializerText(node: SyntaxNode): string {
  const { value, type } = unwrapped(node);
  if (type !== undefined) return `: ${compactNode(type)}`;
  if (FUNCTIONS.has(value.type)) return `: ${functionType(value)}`;
  const text = value.text;
  const isShort = text.length <= MAX_VALUE_CHARACTERS;
  if (isShort && (LITERALS.has(value.type) || PLAIN_REGEX.test(text))) return ` = ${text}`;
  // A slash may start a regular expression, which `compactNode` would mistake for a comment.
  if (isShort && !text.includes("/")) return ` = ${compactNode(value)}`;
  if (value.type === "string" || value.type === "template_string") return ": string";
  if (value.type === "regex") return ": RegExp";
  return ` = ${shapeOf(value)}`;
}
