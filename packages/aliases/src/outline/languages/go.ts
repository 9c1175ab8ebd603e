import { C_STYLE, type LexicalStyle } from "../compact-text.ts";
import { declarationAt, type Declaration, type Member } from "../declaration.ts";
import type { SyntaxNode } from "../syntax-node.ts";
import { lineCommentsBefore } from "./documentation.ts";
import type { LanguageDefinition } from "./language-definition.ts";
import { simpleValue } from "./simple-values.ts";
import { replaceNode, sliceNode } from "./source-slice.ts";

const STYLE: LexicalStyle = {
  ...C_STYLE,
  quotes: "\"'`",
  rawQuotes: "`",
  multilineQuotes: "`",
};

const isExported = (name: string): boolean => /^\p{Lu}/u.test(name);

function documentation(siblings: readonly SyntaxNode[], index: number): string {
  return lineCommentsBefore(siblings, index, { mark: "//" });
}

function readFunction(node: SyntaxNode): Declaration[] {
  const name = node.field("name")?.text ?? "";
  const receiver = node.field("receiver")?.parts[0];
  const receiverType = receiver?.field("type");
  const owner = /\w+/.exec(receiverType?.text ?? "")?.[0];
  if (!isExported(name) || (owner !== undefined && !isExported(owner))) return [];
  const edits =
    receiver === undefined || receiverType === undefined
      ? []
      : [replaceNode(receiver, receiverType.text)];
  const signature = sliceNode(node, STYLE, { end: node.field("body")?.start ?? node.end, edits });
  const fullName = owner === undefined ? name : `${owner}.${name}`;
  return [
    declarationAt(node, {
      kind: "func",
      name: fullName,
      signature,
    }),
  ];
}

function isShownMember(node: SyntaxNode): boolean {
  if (node.type === "type_elem") return true;
  const name =
    node.field("name")?.text ?? /(\w+)(?:\[.*)?$/.exec(node.field("type")?.text ?? "")?.[1] ?? "";
  return isExported(name);
}

function readMembers(type: SyntaxNode): Member[] | undefined {
  if (type.type !== "struct_type" && type.type !== "interface_type") return undefined;
  const { children } = type.type === "struct_type" ? (type.parts[0] ?? type) : type;
  return children.flatMap((node, index) => {
    if (!node.isNamed || node.isComment || !isShownMember(node)) return [];
    const tag = node.field("tag");
    const text = sliceNode(node, STYLE, { edits: tag === undefined ? [] : [replaceNode(tag)] });
    return [{ documentation: documentation(children, index), text: text.trimEnd() }];
  });
}

function readType(spec: SyntaxNode): Declaration[] {
  const name = spec.field("name")?.text ?? "";
  if (!isExported(name)) return [];
  const type = spec.field("type");
  const members = type === undefined ? undefined : readMembers(type);
  const isBlock = type !== undefined && members !== undefined;
  const keyword = isBlock ? (type.children[0]?.text ?? "") : "";
  const before = sliceNode(spec, STYLE, { end: isBlock ? type.start : spec.end });
  return [
    declarationAt(spec, {
      kind: "type",
      name,
      signature: `type ${before} ${keyword}`.trimEnd(),
      members,
    }),
  ];
}

/** Reads the constants or variables of one specification. They share a type and values. */
function readValues(spec: SyntaxNode, kind: string): Declaration[] {
  const value = spec.field("value");
  const type = spec.field("type");
  const end = type?.start ?? value?.start ?? spec.end;
  const names = spec.parts
    .filter((part) => part.type === "identifier" && part.start < end)
    .map((part) => part.text);
  const exports = names.filter(isExported);
  const [name] = exports;
  if (name === undefined) return [];
  const typed = type === undefined ? "" : ` ${sliceNode(type, STYLE)}`;
  const shown = value === undefined ? "" : ` = ${literalHead(value)}`;
  const rest =
    names.length === exports.length && !(typed !== "" && shown.endsWith("…"))
      ? typed + shown
      : typed;
  const signature = `${kind} ${exports.join(", ")}${rest}`;
  return [declarationAt(spec, { kind, name, exports, signature })];
}

function literalHead(values: SyntaxNode): string {
  const [first] = values.parts;
  const type = first?.type === "composite_literal" ? first.field("type") : undefined;
  if (type !== undefined && values.parts.length === 1) return `${sliceNode(type, STYLE)}{…}`;
  return simpleValue(values.parts.length === 1 && first !== undefined ? first : values, STYLE);
}

function specsOf(node: SyntaxNode): { siblings: SyntaxNode[]; index: number; spec: SyntaxNode }[] {
  const list = node.parts.find((part) => part.type.endsWith("_spec_list")) ?? node;
  return list.children.flatMap((spec, index) =>
    /_(?:spec|alias)$/.test(spec.type) ? [{ siblings: list.children, index, spec }] : [],
  );
}

function readGroup(node: SyntaxNode, read: (spec: SyntaxNode) => Declaration[]): Declaration[] {
  return specsOf(node).flatMap(({ siblings, index, spec }) =>
    read(spec).map((declaration) => ({
      ...declaration,
      documentation: documentation(siblings, index),
    })),
  );
}

function readStatement(node: SyntaxNode): Declaration[] {
  switch (node.type) {
    case "function_declaration":
    case "method_declaration":
      return readFunction(node);
    case "type_declaration":
      return readGroup(node, readType);
    case "const_declaration":
      return readGroup(node, (spec) => readValues(spec, "const"));
    case "var_declaration":
      return readGroup(node, (spec) => readValues(spec, "var"));
    default:
      return [];
  }
}

/** Go: capitalized names. Methods of exported types are listed as `Type.Method`. */
export const GO_DEFINITION: LanguageDefinition = {
  style: STYLE,
  readDeclarations({ root }) {
    const statements = root.children.flatMap((child) =>
      child.type === "ERROR" ? child.children : [child],
    );
    return statements.flatMap((node, index) => {
      const declarations = readStatement(node);
      const comment = documentation(statements, index);
      return declarations.map((declaration, position) => {
        const isFirst = position === 0 && declaration.documentation === "";
        return isFirst ? { ...declaration, documentation: comment } : declaration;
      });
    });
  },
};
