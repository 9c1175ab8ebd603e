// The input of the source checks: the code of each package, without tests, fixtures and its `testing` entry.
import fs from "node:fs";
import path from "node:path";

import ts from "typescript";

import { parseSource } from "../graph/parse-source.mjs";

const isChecked = (file) =>
  file.endsWith(".ts") &&
  !/\.d\.ts$|\.test(-d)?\.ts$|(^|\/)(__fixtures__|testing)\//.test(file.replaceAll("\\", "/"));

/**
 * @typedef {{ name: string, line: number, size: number, body: Token[], isTopLevel: boolean }} SourceFunction
 * @typedef {{ package: string, file: string, tokens: number, functions: SourceFunction[], identifiers: string[], comments: string[], imports: string[] }} Source
 * @typedef {{ start: number, text: string, kind: "name" | "property" | "text" | "sign" }} Token
 */

/** The sources of all packages in path order. Paths are relative to `root`. @returns {Source[]} */
export function readSources(root) {
  const folder = path.join(root, "packages");
  return fs.readdirSync(folder).flatMap((name) => {
    const sources = path.join(folder, name, "src");
    if (!fs.existsSync(sources)) return [];
    const files = fs.readdirSync(sources, { recursive: true }).filter(isChecked).sort();
    return files.map((file) => {
      const place = path.posix.join("packages", name, "src", file.replaceAll("\\", "/"));
      return { package: name, ...readTreeOf(place, parseSource(path.join(sources, file))) };
    });
  });
}

/** @returns {Omit<Source, "package">} */
export function readSource(file, text) {
  return readTreeOf(file, ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
}

/** @returns {Omit<Source, "package">} */
function readTreeOf(file, source) {
  const { text } = source;
  const { leaves, functionNodes } = readTree(source);
  const { tokens, comments } = readTokens(text, leaves);
  const functions = functionNodes.map((node) => {
    const [start, bodyStart] = [node.getStart(source), node.body.getStart(source)];
    const own = tokens.slice(firstAt(tokens, start), firstAt(tokens, node.end));
    return {
      name: nameOf(node),
      line: source.getLineAndCharacterOfPosition(start).line + 1,
      size: own.length,
      body: own.slice(firstAt(own, bodyStart)),
      isTopLevel: isTopLevel(node),
    };
  });
  const imports = source.statements
    .filter((node) => ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
    .flatMap(({ moduleSpecifier }) => (moduleSpecifier === undefined ? [] : moduleSpecifier.text));
  return {
    file,
    tokens: tokens.length,
    functions,
    identifiers: leaves.filter(ts.isIdentifier).map((node) => node.text),
    comments,
    imports: imports.filter((specifier) => specifier.startsWith(".")),
  };
}

/** The leaves of the syntax tree in text order, and the functions with a body. */
function readTree(source) {
  const leaves = [];
  const functionNodes = [];
  const visit = (node) => {
    let isLeaf = true;
    ts.forEachChild(node, (child) => {
      isLeaf = false;
      visit(child);
    });
    const isToken = ts.isToken(node) || ts.isTemplateHead(node) || ts.isLiteralExpression(node);
    if (isLeaf && isToken && node.getStart(source) < node.end) leaves.push(node);
    if (ts.isFunctionLike(node) && node.body !== undefined) functionNodes.push(node);
  };
  visit(source);
  return { leaves: leaves.sort((a, b) => a.end - b.end), functionNodes };
}

/** All tokens and comments. Between two leaves there are only signs, keywords and comments. */
function readTokens(text, leaves) {
  const scanner = ts.createScanner(
    ts.ScriptTarget.Latest,
    false,
    ts.LanguageVariant.Standard,
    text,
  );
  const tokens = [];
  const comments = [];
  const readBetween = (from, to) => {
    scanner.resetTokenState(from);
    for (let kind = scanner.scan(); scanner.getTokenEnd() <= to; kind = scanner.scan()) {
      if (kind === ts.SyntaxKind.EndOfFileToken) return;
      const item = { start: scanner.getTokenStart(), text: scanner.getTokenText(), kind: "sign" };
      if (kind >= ts.SyntaxKind.FirstTriviaToken && kind <= ts.SyntaxKind.LastTriviaToken) {
        if (/^\/[/*]/.test(item.text)) comments.push(item.text);
      } else tokens.push(item);
    }
  };
  let end = 0;
  for (const leaf of leaves) {
    const start = leaf.getStart();
    readBetween(end, start);
    tokens.push({ start, text: text.slice(start, leaf.end), kind: kindOf(leaf) });
    end = leaf.end;
  }
  readBetween(end, text.length);
  return { tokens, comments };
}

/** The index of the first token at or after a position. */
function firstAt(tokens, position) {
  const index = tokens.findIndex((token) => token.start >= position);
  return index === -1 ? tokens.length : index;
}

function kindOf(node) {
  if (ts.isIdentifier(node)) return isPropertyName(node) ? "property" : "name";
  return ts.isStringLiteralLike(node) || ts.isTemplateLiteralKind(node.kind) ? "text" : "sign";
}

function isPropertyName(node) {
  const { parent } = node;
  return (
    (ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent)) &&
    parent.name === node
  );
}

function nameOf(node) {
  if (node.name !== undefined) return node.name.getText();
  const { parent } = node;
  return ts.isVariableDeclaration(parent) ? parent.name.getText() : "";
}

// True for a declaration of the module, false inside a function or class.
function isTopLevel(node) {
  if (ts.isFunctionDeclaration(node)) return ts.isSourceFile(node.parent);
  return ts.isVariableDeclaration(node.parent) && ts.isSourceFile(node.parent.parent.parent.parent);
}
