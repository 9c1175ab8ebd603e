import type { LexicalStyle } from "../compact-text.ts";
import { declarationAt, type Declaration, type Member } from "../declaration.ts";
import { renderSignature, type RenderStyle } from "../render-outline.ts";
import type { SyntaxNode } from "../syntax-node.ts";
import { javadocBefore } from "./documentation.ts";
import type { LanguageDefinition } from "./language-definition.ts";
import { MAX_NESTED_DEPTH } from "./nested-declarations.ts";
import { simpleValue } from "./simple-values.ts";
import { replaceNode, sliceNode, type Edit } from "./source-slice.ts";
import { typeParameterNames } from "./type-parameter-names.ts";

const STYLE: LexicalStyle = {
  lineComment: "//",
  hasBlockComments: true,
  quotes: "\"'",
  rawQuotes: "",
  multilineQuotes: "",
};
const RENDER_STYLE: RenderStyle = { lineComment: "//", hasBraces: true };
const TYPES = new Map([
  ["class_declaration", "class"],
  ["interface_declaration", "interface"],
  ["enum_declaration", "enum"],
  ["record_declaration", "record"],
  ["annotation_type_declaration", "@interface"],
]);
const MEMBERS = new Set([
  "method_declaration",
  "constructor_declaration",
  "field_declaration",
  "constant_declaration",
  "annotation_type_element_declaration",
]);
const DROPPED_MODIFIERS = new Set([
  "public",
  "synchronized",
  "native",
  "strictfp",
  "marker_annotation",
  "annotation",
]);

function modifiersOf(node: SyntaxNode): SyntaxNode[] {
  return node.parts.find((part) => part.type === "modifiers")?.children ?? [];
}

function isShown(node: SyntaxNode, isOpen: boolean): boolean {
  const words = new Set(modifiersOf(node).map((modifier) => modifier.type));
  if (words.has("private")) return false;
  return isOpen || words.has("public") || words.has("protected");
}

function modifierEdits(node: SyntaxNode, isParameter = false): Edit[] {
  return modifiersOf(node)
    .filter(
      (modifier) =>
        DROPPED_MODIFIERS.has(modifier.type) || (isParameter && modifier.type === "final"),
    )
    .map((modifier) => replaceNode(modifier));
}

function signatureOf(node: SyntaxNode, end: number): string {
  const parameters = node.field("parameters")?.parts ?? [];
  const edits = [
    ...modifierEdits(node),
    ...parameters.flatMap((parameter) => modifierEdits(parameter, true)),
  ];
  for (const declarator of node.parts.filter((part) => part.type === "variable_declarator")) {
    const value = declarator.field("value");
    const name = declarator.field("name");
    const shown = value === undefined ? "…" : simpleValue(value, STYLE);
    if (value !== undefined && name !== undefined) {
      edits.push({
        start: name.end,
        end: value.end,
        replacement: shown === "…" ? "" : ` = ${shown}`,
      });
    }
  }
  return sliceNode(node, STYLE, { end, edits }).replace(/;$/, "");
}

function memberText(node: SyntaxNode, depth: number): string {
  if (TYPES.has(node.type))
    return renderSignature({ ...readType(node, depth + 1), documentation: "" }, RENDER_STYLE);
  return signatureOf(node, node.field("body")?.start ?? node.end);
}

function readMembers(body: SyntaxNode, options: { isOpen: boolean; depth: number }): Member[] {
  const { isOpen, depth } = options;
  if (depth > MAX_NESTED_DEPTH) return [{ documentation: "", text: "…" }];
  const constants = body.parts.filter((part) => part.type === "enum_constant");
  const names = constants.map((constant) => constant.field("name")?.text ?? "").join(", ");
  const inner = body.parts.find((part) => part.type === "enum_body_declarations") ?? body;
  const members = inner.children.flatMap((node, index): Member[] => {
    const isMember = MEMBERS.has(node.type) || TYPES.has(node.type);
    if (!isMember || !isShown(node, isOpen)) return [];
    return [{ documentation: javadocBefore(inner.children, index), text: memberText(node, depth) }];
  });
  return names === "" ? members : [{ documentation: "", text: names }, ...members];
}

function readType(node: SyntaxNode, depth = 0): Declaration {
  const name = node.field("name")?.text ?? "";
  const body = node.field("body");
  const word = TYPES.get(node.type) ?? "class";
  const isAbstract = modifiersOf(node).some((modifier) => modifier.type === "abstract");
  const isOpen = word === "interface" || word === "@interface";
  const parameters = node.field("type_parameters")?.text ?? "";
  return declarationAt(node, {
    kind: isAbstract ? `abstract ${word}` : word,
    name,
    head: name + typeParameterNames(parameters),
    signature: signatureOf(node, body?.start ?? node.end),
    members: body === undefined ? undefined : readMembers(body, { isOpen, depth }),
  });
}

/** Java: public and protected types and members. If a file has none, the package-private ones. */
export const JAVA_DEFINITION: LanguageDefinition = {
  lexicalStyle: STYLE,
  hasBraces: true,
  readDeclarations({ root }) {
    const statements = root.children.flatMap((child) =>
      child.type === "ERROR" ? child.children : [child],
    );
    const types = statements.filter((node) => TYPES.has(node.type));
    const isOpen = !types.some((node) => isShown(node, false));
    return types
      .filter((node) => isShown(node, isOpen))
      .map((node) => ({
        ...readType(node),
        documentation: javadocBefore(statements, statements.indexOf(node)),
      }));
  },
};
