// Exported values that only their own package uses. Readers cannot see how they are meant, so they need not be
// exported. A program is another package's source or test, an example, a bench, a script, or a program in a README or a
// page.
import fs from "node:fs";
import path from "node:path";

import ts from "typescript";

const scope = "@ccl/";
const isCode = (file) => /\.[cm]?[jt]sx?$/.test(file) && !/\.d\.[cm]?ts$/.test(file);

/** "@ccl/x/sub name" for each exported value that no program names, sorted. @returns {string[]} */
export function unshownExports({ root, packages }) {
  const used = new Map();
  const add = (owner, uses) => {
    for (const use of uses) used.set(use, new Set([...(used.get(use) ?? []), owner]));
  };
  for (const folder of ["packages", "examples", "bench", "scripts"])
    for (const file of filesIn(path.join(root, folder)).filter(isCode))
      add(ownerOf(root, file), usesIn(fs.readFileSync(file, "utf8")));
  for (const file of pagesOf(root))
    for (const program of programsIn(fs.readFileSync(file, "utf8"))) add("pages", usesIn(program));
  return packages
    .flatMap((item) =>
      item.entries
        .filter((entry) => entry.source !== undefined)
        .flatMap((entry) =>
          valuesOf(entry.source)
            .map((name) => `${path.posix.join(item.name, entry.subpath)} ${name}`)
            .filter((value) => ![...(used.get(value) ?? [])].some((owner) => owner !== item.name)),
        ),
    )
    .sort();
}

/** An entry's exports that are not types. Entries re-export by name. */
function valuesOf(file) {
  return read(fs.readFileSync(file, "utf8")).statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement) && !statement.isTypeOnly) {
      const { elements } = statement.exportClause;
      return elements.filter((item) => !item.isTypeOnly).map((item) => item.name.text);
    }
    const isExported = statement.modifiers?.some(
      ({ kind }) => kind === ts.SyntaxKind.ExportKeyword,
    );
    if (!isExported) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => name.text);
    return ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)
      ? [statement.name.text]
      : [];
  });
}

/** "@ccl/x/sub name" for each value that a program imports by name, or may use from a namespace import of an entry. */
function usesIn(text) {
  if (!text.includes(scope)) return [];
  const [uses, entries, names] = [new Set(), new Set(), new Set()];
  const visit = (node) => {
    if (ts.isIdentifier(node)) names.add(node.text);
    const specifier = specifierOf(node);
    if (specifier?.startsWith(scope)) {
      const named = namedOf(node);
      if (named === undefined) entries.add(specifier);
      else
        for (const item of named) uses.add(`${specifier} ${(item.propertyName ?? item.name).text}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(read(text));
  for (const entry of entries) for (const name of names) uses.add(`${entry} ${name}`);
  return uses;
}

function specifierOf(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
    return node.moduleSpecifier?.text;
  const isLazy = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isLazy ? node.arguments[0]?.text : undefined;
}

/** The imported names that are not types. Undefined for a namespace import. */
function namedOf(node) {
  const clause = ts.isImportDeclaration(node) ? node.importClause : node;
  if (clause?.isTypeOnly) return [];
  const elements = (clause?.namedBindings ?? clause?.exportClause)?.elements;
  return elements?.filter((item) => !item.isTypeOnly);
}

/** A page's visible blocks, and the code that its reader already has. */
function programsIn(markdown) {
  const programs = /^<!-- given\n([^]*?)-->|^```(?:ts|js)\b[^\n]*\n([^]*?)^```$/gm;
  return Array.from(markdown.matchAll(programs), ([, given, shown]) => given ?? shown);
}

function pagesOf(root) {
  const inFolders = ["packages", "docs", "examples"].flatMap((name) =>
    filesIn(path.join(root, name)),
  );
  const isPage = (file) => file.endsWith(".md") && !/(api|CHANGELOG)\.md$/.test(file);
  return [path.join(root, "README.md"), ...inFolders].filter(
    (file) => fs.existsSync(file) && isPage(file),
  );
}

function ownerOf(root, file) {
  const [folder, name] = path.relative(root, file).split(path.sep);
  return folder === "packages" ? scope + name : folder;
}

function filesIn(folder) {
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (!entry.isDirectory()) return [file];
    const isOthers = ["node_modules", "dist", "__fixtures__", "sample", "api"].includes(entry.name);
    return isOthers || entry.name.startsWith(".") ? [] : filesIn(file);
  });
}

const read = (text) => ts.createSourceFile("file.ts", text, ts.ScriptTarget.Latest, true);
