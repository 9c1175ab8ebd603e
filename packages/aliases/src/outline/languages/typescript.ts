import type { Declaration } from "../declaration.ts";
import { closeOver } from "../close-over.ts";
import { joinOverloads } from "../join-overloads.ts";
import type { SyntaxNode } from "../syntax-node.ts";
import type { LanguageDefinition } from "./language-definition.ts";
import { readLocalDeclarations, type BlockReader } from "./typescript-declarations.ts";
import { cutDeclaration, MAX_NESTED_DEPTH } from "./nested-declarations.ts";
import { javadocBefore } from "./documentation.ts";
import {
  readCommonJs,
  readExportLists,
  readExportStatement,
  readMemberAssignments,
} from "./typescript-exports.ts";
import { ECMASCRIPT_STYLE } from "./typescript-slices.ts";

const DECLARATION_FILE = /\.d\.[cm]?ts$/;

const isExportStatement = (node: SyntaxNode): boolean => node.type === "export_statement";

/** Returns the statements in order, including those that the parser left inside an error. */
function statementsOf(block: SyntaxNode): SyntaxNode[] {
  const statements: SyntaxNode[] = [];
  const pending = [...block.children].reverse();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.type === "ERROR") pending.push(...[...node.children].reverse());
    else statements.push(node);
  }
  return statements;
}

/** True if declarations are visible outside the file without the word `export`. */
function exposesAll(statements: readonly SyntaxNode[], isAmbient: boolean): boolean {
  const exports = statements.filter((node) => isExportStatement(node) || node.type === "export");
  if (isAmbient) return !exports.some((node) => node.field("declaration") === undefined);
  return exports.length === 0 && !statements.some((node) => readCommonJs(node) !== undefined);
}

function asDefault(declaration: Declaration): Declaration {
  const { signature } = declaration;
  return {
    ...declaration,
    kind: "export default",
    name: declaration.name || "default",
    exports: ["default"],
    signature: `export default ${signature}`,
  };
}

function localsOf(node: SyntaxNode, reader: BlockReader): Declaration[] {
  if (!isExportStatement(node)) return readLocalDeclarations(node, reader);
  const declaration = node.field("declaration") ?? node.field("value");
  return declaration === undefined ? [] : readLocalDeclarations(declaration, reader);
}

/** Reads exports that do not declare anything: lists, stars, default values, assignments. */
function exportsOf(
  node: SyntaxNode,
  shown: ReadonlySet<string>,
  isVisible: (name: string) => boolean | undefined,
): Declaration[] {
  if (isExportStatement(node)) return readExportStatement(node, shown);
  return readCommonJs(node)?.declarations ?? readMemberAssignments(node, isVisible);
}

function readStatements(
  block: SyntaxNode,
  options: { isAmbient: boolean; depth: number },
): Declaration[] {
  const { isAmbient, depth } = options;
  if (depth > MAX_NESTED_DEPTH) return [cutDeclaration(block)];
  const statements = statementsOf(block);
  const lists = readExportLists(statements);
  const isAllExposed = exposesAll(statements, isAmbient);
  const locals = statements.map((node) =>
    localsOf(node, (inner) =>
      readStatements(inner, {
        isAmbient: isAmbient || node.type === "ambient_declaration",
        depth: depth + 1,
      }),
    ),
  );
  const shown = new Set(locals.flat().flatMap((declaration) => declaration.exports));
  const exported = new Set(
    locals.flatMap((declarations, index) =>
      isExportStatement(statements[index] ?? block) ? declarations.map(({ name }) => name) : [],
    ),
  );
  const hidden: Declaration[] = [];
  const isVisible = (name: string): boolean | undefined =>
    !shown.has(name) ? undefined : isAllExposed || lists.has(name) || exported.has(name);
  const found = statements.flatMap((node, index): Declaration[] => {
    const declarations = locals[index] ?? [];
    if (declarations.length === 0) {
      const documentation = isExportStatement(node) ? "" : javadocBefore(statements, index);
      return exportsOf(node, shown, isVisible).map((item) => ({ ...item, documentation }));
    }
    const isExported =
      isAllExposed || isExportStatement(node) || statements[index - 1]?.type === "export";
    const isDefault =
      isExportStatement(node) && node.children.some((child) => child.type === "default");
    const documentation = javadocBefore(statements, index);
    return declarations.flatMap((declaration) => {
      // A global or module augmentation has no name, but it is visible.
      const { exports } = declaration;
      const isSeen = isExported || exports.length === 0 || exports.some((name) => lists.has(name));
      if (!isSeen) hidden.push({ ...declaration, documentation });
      if (!isSeen) return [];
      const named = exports.flatMap((name) => (isExported ? [name] : (lists.get(name) ?? [])));
      const placed = { ...declaration, exports: named, documentation };
      return [isDefault ? asDefault(placed) : placed];
    });
  });
  return joinOverloads(closeOver(found, hidden), ECMASCRIPT_STYLE);
}

/** TypeScript, TSX and JavaScript. Their grammars use the same node names. */
export const ECMASCRIPT_DEFINITION: LanguageDefinition = {
  style: ECMASCRIPT_STYLE,
  readDeclarations: (source) =>
    readStatements(source.root, { isAmbient: DECLARATION_FILE.test(source.path), depth: 0 }),
};
