import { declarationAt, type Declaration } from "../declaration.ts";
import type { SyntaxNode } from "../syntax-node.ts";
import { compactNode } from "./typescript-slices.ts";
import { initializerText } from "./typescript-values.ts";

/** One name of an export list. */
interface ExportSpecifier {
  local: string;
  exported: string;
  text: string;
}

function lineDeclaration(
  node: SyntaxNode,
  parts: { kind: string; head: string; exports: string[] },
): Declaration {
  const { kind, head, exports } = parts;
  return declarationAt(node, {
    kind,
    head,
    exports,
    name: exports[0] ?? head,
    signature: `${kind} ${head}`,
  });
}

function unquoted(node: SyntaxNode): string {
  return node.type === "string" ? node.text.slice(1, -1) : node.text;
}

function readSpecifiers(clause: SyntaxNode): ExportSpecifier[] {
  return clause.parts.flatMap((node) => {
    const name = node.field("name");
    if (node.type !== "export_specifier" || name === undefined) return [];
    const exported = unquoted(node.field("alias") ?? name);
    return [{ local: unquoted(name), exported, text: compactNode(node) }];
  });
}

function exportClause(statement: SyntaxNode): SyntaxNode | undefined {
  if (statement.type !== "export_statement" || statement.field("source") !== undefined)
    return undefined;
  return statement.parts.find((child) => child.type === "export_clause");
}

/** Names that export lists and CommonJS assignments give to the file's own declarations, by local name. */
export function readExportLists(statements: readonly SyntaxNode[]): Map<string, string[]> {
  const exported = new Map<string, string[]>();
  const add = (local: string, name: string | undefined): void => {
    const names = exported.get(local) ?? [];
    exported.set(local, name === undefined ? names : [...names, name]);
  };
  for (const statement of statements) {
    const clause = exportClause(statement);
    if (clause !== undefined) {
      // A renamed declaration is shown under its own name, and the list that renames it stays.
      for (const { local, exported: name } of readSpecifiers(clause))
        add(local, local === name ? name : undefined);
    }
    const value = statement.type === "export_statement" ? statement.field("value") : null;
    if (value?.type === "identifier") add(value.text, undefined);
    for (const local of readCommonJs(statement)?.locals ?? []) add(local, undefined);
  }
  return exported;
}

function readList(
  statement: SyntaxNode,
  clause: SyntaxNode,
  shown: ReadonlySet<string>,
): Declaration[] {
  const from = statement.field("source");
  const isTypeOnly = statement.children.some((child) => child.type === "type");
  const all = readSpecifiers(clause);
  const rest =
    from === undefined
      ? all.filter(({ local, exported }) => local !== exported || !shown.has(local))
      : all;
  if (rest.length === 0) return [];
  const list = `{ ${rest.map((specifier) => specifier.text).join(", ")} }`;
  const head = from === undefined ? list : `${list} from ${from.text}`;
  const kind = isTypeOnly ? "export type" : "export";
  return [
    lineDeclaration(statement, {
      kind,
      head,
      exports: rest.map((specifier) => specifier.exported),
    }),
  ];
}

function readStar(statement: SyntaxNode): Declaration {
  const from = statement.field("source");
  const fromText = from === undefined ? '""' : from.text;
  const namespace = statement.parts.find((child) => child.type === "namespace_export");
  if (namespace === undefined)
    return lineDeclaration(statement, { kind: "export * from", head: fromText, exports: [] });
  const named = namespace.parts.at(-1);
  const name = named === undefined ? "" : unquoted(named);
  const head = `${compactNode(namespace)} from ${fromText}`;
  return lineDeclaration(statement, { kind: "export", head, exports: [name] });
}

function readDefaultValue(statement: SyntaxNode, value: SyntaxNode): Declaration {
  const text = initializerText(value).replace(/^(?:: | = )/, "");
  const signature = `export default ${text}`;
  const head = text.length <= 40 ? text : value.type;
  return {
    ...lineDeclaration(statement, { kind: "export default", head, exports: ["default"] }),
    signature,
  };
}

/** Exports that declare nothing themselves: lists, stars, `export =`, a default value. */
export function readExportStatement(
  statement: SyntaxNode,
  shown: ReadonlySet<string>,
): Declaration[] {
  const words = new Set(statement.children.map((child) => child.type));
  const clause = statement.parts.find((child) => child.type === "export_clause");
  if (clause !== undefined) return readList(statement, clause, shown);
  if (words.has("*") || words.has("namespace_export")) return [readStar(statement)];
  const last = statement.parts.at(-1);
  if (last === undefined) return [];
  if (words.has("=")) {
    return [
      lineDeclaration(statement, {
        kind: "export =",
        head: compactNode(last).slice(0, 80),
        exports: ["export="],
      }),
    ];
  }
  if (words.has("namespace")) {
    return [
      lineDeclaration(statement, { kind: "export as namespace", head: last.text, exports: [] }),
    ];
  }
  const value = statement.field("value");
  return value === undefined ? [] : [readDefaultValue(statement, value)];
}

const COMMON_JS_TARGET = /^(?:(?:module\s*\.\s*)?exports)(?:\s*\.\s*([\w$]+))?$/;

/** An assignment to `module.exports` or one of its properties: what it exports, and which local names it mentions. */
export function readCommonJs(
  statement: SyntaxNode,
): { declaration: Declaration; locals: string[] } | undefined {
  if (statement.type !== "expression_statement") return undefined;
  const assignment = statement.parts[0];
  if (assignment?.type !== "assignment_expression") return undefined;
  const left = assignment.field("left");
  const right = assignment.field("right");
  if (left === undefined || right === undefined || left.length > 100) return undefined;
  const match = COMMON_JS_TARGET.exec(left.text);
  if (match === null) return undefined;
  const [target, property] = match;
  const isObject = right.type === "object" && property === undefined;
  const pairs = isObject ? right.parts : [];
  const keys = pairs.map((pair) => pair.field("key") ?? pair.field("name") ?? pair);
  const values = isObject ? pairs.map((pair) => pair.field("value") ?? pair) : [right];
  const exports =
    property === undefined
      ? keys.filter((key) => !key.type.startsWith("spread")).map(unquoted)
      : [property];
  const head =
    property ??
    (isObject ? `{ ${exports.join(", ")} }` : initializerText(right).replace(/^(?:: | = )/, ""));
  const kind = property === undefined ? `${target} =` : target.slice(0, -property.length - 1);
  const signature = `${target}${initializerText(right)}`;
  const declaration = { ...lineDeclaration(statement, { kind, head, exports }), signature };
  const locals = values
    .filter((value) => value.type.endsWith("identifier"))
    .map((value) => value.text);
  return { declaration, locals };
}
