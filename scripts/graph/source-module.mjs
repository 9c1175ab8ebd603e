// The imports and names of one TypeScript source file.
import fs from "node:fs";
import path from "node:path";

import ts from "typescript";

import { parseSource } from "./parse-source.mjs";

/**
 * @typedef {{ specifier: string, line: number, isTypeOnly: boolean }} ModuleImport
 * @typedef {{ file: string, imports: ModuleImport[], strings: string[], computedImportLines: number[], names: Map<string, number> }} SourceModule
 */

/** @returns {SourceModule} */
export function readSourceModule(file) {
  const source = parseSource(file);
  const module = {
    file,
    imports: [],
    strings: [],
    computedImportLines: [],
    names: new Map(),
  };
  const lineOf = (node) => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
  const constants = readConstants(source);
  const addImport = (node, argument, isTypeOnly) => {
    const specifier = ts.isIdentifier(argument)
      ? constants.get(argument.text)
      : leadingText(argument);
    if (specifier === undefined) module.computedImportLines.push(lineOf(node));
    else module.imports.push({ specifier, line: lineOf(node), isTypeOnly });
  };
  const visit = (node) => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      addImport(node, node.moduleSpecifier, isTypeOnlyDeclaration(node));
    } else if (ts.isImportTypeNode(node)) {
      addImport(node, node.argument.literal ?? node.argument, true);
    } else if (isDynamicImport(node)) {
      // A file path that the user passes belongs to no package.
      if (!node.arguments[0].getText(source).startsWith("pathToFileURL("))
        addImport(node, node.arguments[0], false);
    } else if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) {
      module.strings.push(node.text);
    } else if (ts.isIdentifier(node) && isFreeName(node)) {
      module.names.set(node.text, lineOf(node));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return module;
}

// A constant at the top of the file counts like a literal in the call.
function readConstants(source) {
  const declarations = source.statements
    .filter(
      (statement) =>
        ts.isVariableStatement(statement) && statement.declarationList.flags & ts.NodeFlags.Const,
    )
    .flatMap((statement) => statement.declarationList.declarations);
  return new Map(
    declarations
      .filter(
        ({ name, initializer }) =>
          ts.isIdentifier(name) && initializer && ts.isStringLiteralLike(initializer),
      )
      .map(({ name, initializer }) => [name.text, initializer.text]),
  );
}

function isDynamicImport(node) {
  if (!ts.isCallExpression(node) || node.arguments.length === 0) return false;
  return (
    node.expression.kind === ts.SyntaxKind.ImportKeyword ||
    (ts.isIdentifier(node.expression) && node.expression.text === "require")
  );
}

function isTypeOnlyDeclaration(node) {
  return ts.isImportDeclaration(node) ? (node.importClause?.isTypeOnly ?? false) : node.isTypeOnly;
}

// The constant start of a template such as `gpt-tokenizer/encoding/${name}` shows its package.
function leadingText(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node) && node.head.text !== "") return node.head.text;
  return undefined;
}

function isFreeName(node) {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) || ts.isQualifiedName(parent))
    return parent.name !== node;
  return !(
    ts.isPropertyAssignment(parent) ||
    ts.isPropertySignature(parent) ||
    ts.isMethodDeclaration(parent)
  );
}

/** Every module that `entries` reach through relative imports, in the order of discovery. */
export function reachModules(entries, readModule = readSourceModule) {
  const reached = new Map();
  const queue = [...entries];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (reached.has(file) || !fs.existsSync(file)) continue;
    const module = readModule(file);
    reached.set(file, module);
    queue.push(...relativeTargets(module));
  }
  return reached;
}

// Strings count too: a worker is started with new URL("./worker.ts", import.meta.url).
function relativeTargets(module) {
  const specifiers = [...module.imports.map((item) => item.specifier), ...module.strings];
  const isRelative = (specifier) => /^\.{1,2}\/.*\.[cm]?[jt]s$/.test(specifier);
  return specifiers.filter(isRelative).flatMap((specifier) => {
    const target = path.resolve(path.dirname(module.file), specifier);
    return [target, target.replace(/js$/, "ts")].filter((file) => fs.existsSync(file)).slice(0, 1);
  });
}
