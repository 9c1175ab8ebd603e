import type { Member } from "../declaration.ts";
import type { SyntaxNode } from "../syntax-node.ts";
import { javadocBefore } from "./documentation.ts";
import { replaceNode, type Edit } from "./source-slice.ts";
import { compactNode, parameterListEdits } from "./typescript-slices.ts";
import { initializerText } from "./typescript-values.ts";

const DROPPED_WORDS = new Set(["decorator", "override_modifier", "declare", "async"]);
const METHODS = new Set(["method_definition", "method_signature", "abstract_method_signature"]);

function nameOf(node: SyntaxNode): SyntaxNode | undefined {
  return node.field("name") ?? node.field("property");
}

function isHidden(node: SyntaxNode): boolean {
  if (nameOf(node)?.type === "private_property_identifier") return true;
  return node.children.some(
    (child) => child.type === "accessibility_modifier" && child.text === "private",
  );
}

function modifierEdits(node: SyntaxNode, name: SyntaxNode): Edit[] {
  if (name.start === node.start) return [];
  return node.children
    .filter((child) => child.end <= name.start)
    .filter(
      (child) =>
        DROPPED_WORDS.has(child.type) ||
        (child.type === "accessibility_modifier" && child.text === "public"),
    )
    .map((child) => replaceNode(child));
}

function methodText(node: SyntaxNode): string {
  const name = nameOf(node);
  const body = node.field("body");
  const edits = name === undefined ? [] : modifierEdits(node, name);
  edits.push(...parameterListEdits(node.field("parameters")));
  return compactNode(node, { end: body?.start ?? node.end, edits });
}

function fieldText(node: SyntaxNode): string {
  const name = nameOf(node);
  const type = node.field("type");
  const value = node.field("value");
  if (name === undefined) return compactNode(node);
  const edits = modifierEdits(node, name);
  if (type !== undefined || value === undefined)
    return compactNode(node, { end: type?.end ?? node.end, edits });
  return compactNode(node, { end: name.end, edits }) + initializerText(value);
}

function memberText(node: SyntaxNode): string | undefined {
  if (METHODS.has(node.type)) return isHidden(node) ? undefined : methodText(node);
  switch (node.type) {
    case "public_field_definition":
    case "field_definition":
      return isHidden(node) ? undefined : fieldText(node);
    case "property_signature":
    case "call_signature":
    case "construct_signature":
    case "index_signature":
      return compactNode(node);
    default:
      return undefined;
  }
}

/**
 * Reads the members of a class, an interface or an object type. For an overloaded method, returns
 * only its signatures.
 */
export function readMembers(body: SyntaxNode): Member[] {
  const members: Member[] = [];
  const { children } = body;
  let overloaded = "";
  for (const [index, node] of children.entries()) {
    const text = memberText(node);
    if (text === undefined) continue;
    const name = nameOf(node)?.text ?? "";
    const isImplementation =
      node.type === "method_definition" && overloaded !== "" && overloaded === name;
    overloaded = node.type === "method_signature" ? name : "";
    if (!isImplementation) members.push({ documentation: javadocBefore(children, index), text });
  }
  return members;
}

/** Reads the members of an enum with their values. */
export function readEnumMembers(body: SyntaxNode): Member[] {
  const { children } = body;
  return children.flatMap((node, index) => {
    if (!node.isNamed || node.isComment || node.type === "ERROR") return [];
    return [{ documentation: javadocBefore(children, index), text: `${compactNode(node)},` }];
  });
}
