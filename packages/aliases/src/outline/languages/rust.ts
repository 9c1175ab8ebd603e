import { C_STYLE, type LexicalStyle } from "../compact-text.ts";
import { declarationAt, type Declaration, type Member } from "../declaration.ts";
import type { SyntaxNode } from "../syntax-node.ts";
import { lineCommentsBefore } from "./documentation.ts";
import type { LanguageDefinition } from "./language-definition.ts";
import { cutDeclaration, MAX_NESTED_DEPTH, nestedDeclaration } from "./nested-declarations.ts";
import { simpleValue } from "./simple-values.ts";
import { replaceNode, sliceNode, type Edit } from "./source-slice.ts";

// A single quote starts a lifetime more often than a character.
const STYLE: LexicalStyle = { ...C_STYLE, quotes: '"', multilineQuotes: '"' };
const KINDS = new Map([
  ["function_item", "fn"],
  ["function_signature_item", "fn"],
  ["struct_item", "struct"],
  ["union_item", "union"],
  ["enum_item", "enum"],
  ["trait_item", "trait"],
  ["type_item", "type"],
  ["associated_type", "type"],
  ["const_item", "const"],
  ["static_item", "static"],
]);

function visibility(node: SyntaxNode): SyntaxNode | undefined {
  return node.parts.find((part) => part.type === "visibility_modifier");
}

const isPublic = (node: SyntaxNode): boolean => visibility(node)?.text === "pub";
const isAttribute = (node: SyntaxNode): boolean => node.type === "attribute_item";

function documentation(siblings: readonly SyntaxNode[], index: number): string {
  return lineCommentsBefore(siblings, index, { mark: "///", isSkipped: isAttribute });
}

/** Returns an item up to its block, without its visibility and with shortened values. */
function signatureOf(
  node: SyntaxNode,
  options: { end?: number | undefined; edits?: Edit[] | undefined } = {},
): string {
  const modifier = visibility(node);
  const from = modifier === undefined ? node.start : modifier.end;
  const value = node.field("value");
  const edits = [...(options.edits ?? [])];
  if (value !== undefined) edits.push(replaceNode(value, simpleValue(value, STYLE)));
  return sliceNode(node, STYLE, { ...options, from, edits }).replace(/ = …;$|;$/, "");
}

/** Returns the members that pass the test, each with its signature. */
function readMembers(body: SyntaxNode, isShown: (node: SyntaxNode) => boolean): Member[] {
  return body.children.flatMap((node, index) => {
    if (!node.isNamed || node.isComment || isAttribute(node) || !isShown(node)) return [];
    const block = node.type === "enum_variant" ? undefined : node.field("body");
    const separator = node.type === "field_declaration" || node.type === "enum_variant" ? "," : "";
    const text = signatureOf(node, block === undefined ? {} : { end: block.start }) + separator;
    return [{ documentation: documentation(body.children, index), text }];
  });
}

/** Creates edits that replace private fields of a tuple struct with `_`. */
function tupleEdits(body: SyntaxNode): Edit[] {
  let isShown = false;
  return body.parts.flatMap((part) => {
    if (part.type === "visibility_modifier") {
      isShown = part.text === "pub";
      return [replaceNode(part)];
    }
    if (isAttribute(part)) return [replaceNode(part)];
    const edits = isShown ? [] : [replaceNode(part, "_")];
    isShown = false;
    return edits;
  });
}

function readItem(node: SyntaxNode, kind: string): Declaration {
  const name = node.field("name")?.text ?? "";
  const body = node.field("body");
  const parts = { kind, name };
  if (body?.type === "ordered_field_declaration_list") {
    return declarationAt(node, {
      ...parts,
      signature: signatureOf(node, { edits: tupleEdits(body) }),
    });
  }
  const signature = signatureOf(node, body === undefined ? {} : { end: body.start });
  if (body === undefined || kind === "fn") return declarationAt(node, { ...parts, signature });
  const isStruct = body.type === "field_declaration_list";
  const members = readMembers(body, isStruct ? isPublic : () => true);
  return declarationAt(node, { ...parts, signature, members });
}

/** Reads an `impl` block. Returns only the first line for a trait, and the public members for a type. */
function readImplementation(node: SyntaxNode): Declaration[] {
  const body = node.field("body");
  const signature = sliceNode(node, STYLE, { end: body?.start ?? node.end });
  const isOfTrait = node.field("trait") !== undefined;
  const members = body === undefined || isOfTrait ? [] : readMembers(body, isPublic);
  if (!isOfTrait && members.length === 0) return [];
  const type = node.field("type")?.text ?? "";
  const head = isOfTrait ? `${node.field("trait")?.text ?? ""} for ${type}` : type;
  return [
    declarationAt(node, {
      kind: "impl",
      name: head,
      exports: [],
      signature,
      members: isOfTrait ? undefined : members,
    }),
  ];
}

function usedNames(node: SyntaxNode): string[] {
  const names: string[] = [];
  const pending = [node];
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    const last =
      item.field("alias") ?? item.field("name") ?? (item.parts.length === 0 ? item : undefined);
    if (item.type === "use_wildcard" || item.type === "self") continue;
    if (item.type === "scoped_use_list")
      pending.push(...(item.parts.at(-1)?.parts ?? []).reverse());
    else if (item.type === "use_list") pending.push(...item.parts.reverse());
    else if (last !== undefined) names.push(last.text);
  }
  return names;
}

function readUse(node: SyntaxNode): Declaration[] {
  const argument = node.field("argument");
  if (argument === undefined) return [];
  const head = sliceNode(argument, STYLE);
  const exports = usedNames(argument);
  return [
    declarationAt(node, {
      kind: "pub use",
      name: exports[0] ?? head,
      exports,
      signature: `pub use ${head}`,
    }),
  ];
}

function readMacro(node: SyntaxNode): Declaration {
  const name = node.field("name")?.text ?? "";
  const rules = node.parts.flatMap((part) => part.field("left") ?? []);
  const members = rules.map((rule) => ({ documentation: "", text: sliceNode(rule, STYLE) }));
  return declarationAt(node, {
    kind: "macro_rules!",
    name,
    signature: `macro_rules! ${name}`,
    members,
  });
}

function readStatement(
  node: SyntaxNode,
  options: { isAllShown: boolean; depth: number },
): Declaration[] {
  const { isAllShown, depth } = options;
  const isShown = isAllShown || isPublic(node);
  const kind = KINDS.get(node.type);
  if (kind !== undefined) return isShown ? [readItem(node, kind)] : [];
  if (node.type === "impl_item") return readImplementation(node);
  if (node.type === "use_declaration") return isPublic(node) ? readUse(node) : [];
  if (node.type === "foreign_mod_item") {
    return (node.field("body")?.parts ?? []).flatMap((inner) => readStatement(inner, options));
  }
  if (node.type !== "mod_item" || !isShown) return [];
  const name = node.field("name")?.text ?? "";
  const body = node.field("body");
  if (body === undefined)
    return [declarationAt(node, { kind: "mod", name, signature: `mod ${name}` })];
  const inner =
    depth > MAX_NESTED_DEPTH
      ? [cutDeclaration(body)]
      : readStatements(body, { isAllShown, depth: depth + 1 });
  return [nestedDeclaration(node, { kind: "mod", name, exports: [name], inner }, STYLE)];
}

function isExportedMacro(siblings: readonly SyntaxNode[], index: number): boolean {
  if (siblings[index]?.type !== "macro_definition") return false;
  for (let before = index - 1; before >= 0; before--) {
    const node = siblings[before];
    if (node === undefined || !(isAttribute(node) || node.isComment)) return false;
    if (node.text.includes("macro_export")) return true;
  }
  return false;
}

function readStatements(
  block: SyntaxNode,
  options: { isAllShown: boolean; depth: number },
): Declaration[] {
  const statements = block.children.flatMap((child) =>
    child.type === "ERROR" ? child.children : [child],
  );
  return statements.flatMap((node, index) => {
    const declarations = isExportedMacro(statements, index)
      ? [readMacro(node)]
      : readStatement(node, options);
    return declarations.map((declaration) => ({
      ...declaration,
      documentation: documentation(statements, index),
    }));
  });
}

/** Rust: `pub` items, or all items if a program has none. */
export const RUST_DEFINITION: LanguageDefinition = {
  style: STYLE,
  readDeclarations({ root }) {
    const found = readStatements(root, { isAllShown: false, depth: 0 });
    return found.some(({ exports }) => exports.length > 0)
      ? found
      : readStatements(root, { isAllShown: true, depth: 0 });
  },
};
