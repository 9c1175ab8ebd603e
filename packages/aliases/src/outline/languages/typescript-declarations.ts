import { declarationAt, type Declaration, type Member } from "../declaration.ts";
import type { SyntaxNode } from "../syntax-node.ts";
import { nestedDeclaration } from "./nested-declarations.ts";
import { replaceNode } from "./source-slice.ts";
import { readEnumMembers, readMembers } from "./typescript-members.ts";
import { compactNode, ECMASCRIPT_STYLE, parameterListEdits } from "./typescript-slices.ts";
import { initializerText } from "./typescript-values.ts";

/** Reads the declarations inside a namespace. */
export type BlockReader = (block: SyntaxNode) => Declaration[];

/** Returns the names that a destructuring pattern binds, in order. */
function boundNames(pattern: SyntaxNode): string[] {
  const names: string[] = [];
  const pending = [pattern];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.type.endsWith("identifier") || node.type === "shorthand_property_identifier_pattern")
      names.push(node.text);
    else if (node.type === "pair_pattern") pending.push(...node.parts.slice(1));
    else if (node.type.endsWith("assignment_pattern")) pending.push(...node.parts.slice(0, 1));
    else pending.push(...node.parts.reverse());
  }
  return names;
}

function readVariables(node: SyntaxNode): Declaration[] {
  const kind = node.field("kind")?.text ?? "var";
  const declarators = node.parts;
  return declarators.flatMap((declarator) => {
    const name = declarator.field("name");
    if (declarator.type !== "variable_declarator" || name === undefined) return [];
    const type = declarator.field("type");
    const value = declarator.field("value");
    const exports = boundNames(name);
    const [first = ""] = exports;
    const shown = name.type.endsWith("_pattern") ? `{ ${exports.join(", ")} }` : first;
    const typed = type === undefined ? "" : compactNode(type);
    const rest = type === undefined && value !== undefined ? initializerText(value) : typed;
    const place = declarators.length > 1 ? declarator : node;
    return declarationAt(place, {
      kind,
      name: first,
      exports,
      signature: `${kind} ${shown}${rest}`,
    });
  });
}

function readFunction(node: SyntaxNode): Declaration {
  const body = node.field("body");
  const name = node.field("name")?.text ?? "";
  const edits = parameterListEdits(node.field("parameters"));
  const [first] = node.children;
  if (first?.type === "async" && node.field("return_type") !== undefined) {
    edits.push(replaceNode(first));
  }
  const signature = compactNode(node, { end: body?.start ?? node.end, edits }).replace(/;$/, "");
  const isOverload = node.type === "function_signature";
  return declarationAt(node, {
    kind: "function",
    name,
    signature,
    isOverload,
  });
}

function readBlock(
  node: SyntaxNode,
  kind: string,
  read: (body: SyntaxNode) => Member[],
): Declaration {
  const body = node.field("body");
  const name = node.field("name")?.text ?? "";
  const edits = node.children
    .filter((child) => child.type === "decorator")
    .map((child) => replaceNode(child));
  const signature = compactNode(node, { end: body?.start ?? node.end, edits });
  const members = body === undefined ? undefined : read(body);
  return declarationAt(node, { kind, name, signature, members });
}

function readTypeAlias(node: SyntaxNode): Declaration {
  const name = node.field("name")?.text ?? "";
  const signature = compactNode(node).replace(/;$/, "");
  return declarationAt(node, { kind: "type", name, signature });
}

/** Reads a namespace, a module or the global scope. */
function readNamespace(
  node: SyntaxNode,
  block: SyntaxNode | undefined,
  reader: BlockReader,
): Declaration {
  const name = node.field("name")?.text ?? "global";
  const kind = name === "global" ? "declare" : (node.children[0]?.type ?? "namespace");
  const inner = block === undefined ? [] : reader(block);
  const isPlain = name !== "global" && !/^["']/.test(name);
  const exports = isPlain ? name.split(".", 1) : [];
  return nestedDeclaration(node, { kind, name, exports, inner }, ECMASCRIPT_STYLE);
}

/** Returns the declarations of a statement, whether exported or not. */
export function readLocalDeclarations(node: SyntaxNode, reader: BlockReader): Declaration[] {
  switch (node.type) {
    case "lexical_declaration":
    case "variable_declaration":
      return readVariables(node);
    case "function_declaration":
    case "generator_function_declaration":
    case "function_signature":
    case "function_expression":
    case "generator_function":
      return [readFunction(node)];
    case "class_declaration":
    case "class":
      return [readBlock(node, "class", readMembers)];
    case "abstract_class_declaration":
      return [readBlock(node, "abstract class", readMembers)];
    case "interface_declaration":
      return [readBlock(node, "interface", readMembers)];
    case "enum_declaration":
      return [
        readBlock(
          node,
          node.children[0]?.type === "const" ? "const enum" : "enum",
          readEnumMembers,
        ),
      ];
    case "type_alias_declaration":
      return [readTypeAlias(node)];
    case "import_alias": {
      const name = node.parts[0]?.text ?? "";
      const signature = compactNode(node).replace(/;$/, "");
      return [declarationAt(node, { kind: "import", name, signature })];
    }
    case "internal_module":
    case "module":
      return [readNamespace(node, node.field("body"), reader)];
    case "ambient_declaration": {
      const block = node.parts.find((child) => child.type === "statement_block");
      if (block !== undefined) return [readNamespace(node, block, reader)];
      return node.parts.flatMap((child) => readLocalDeclarations(child, reader));
    }
    case "expression_statement": {
      const inner = node.parts[0];
      return inner?.type === "internal_module" ? readLocalDeclarations(inner, reader) : [];
    }
    default:
      return [];
  }
}
