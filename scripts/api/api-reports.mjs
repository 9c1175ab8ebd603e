// The public surface of packages, read from their built type files.
import path from "node:path";

import ts from "typescript";

const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed });

/**
 * One Markdown text per package. A name that an earlier entry already exports is listed without its declaration. Types
 * that are not exported but that exported declarations name follow at the end, because a change to them affects
 * callers.
 * @param {import("../graph/workspace.mjs").WorkspacePackage[]} packages Must be built.
 * @returns {{ name: string, file: string, text: string, exports: number }[]}
 */
export function apiReports(packages) {
  const files = packages.flatMap((item) => item.entries.map(typesOf));
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  });
  return packages.map((item) => apiReport(item, program));
}

const typesOf = (entry) => entry.built.replace(/\.js$/, ".d.ts");

function apiReport(item, program) {
  const known = new Map();
  const checker = program.getTypeChecker();
  let count = 0;
  const sections = item.entries.map((entry) => {
    const symbols = exportedSymbols(program, typesOf(entry));
    count += symbols.length;
    const texts = symbols.map(({ name, target }) => {
      const earlier = known.get(target);
      if (earlier === undefined) known.set(target, entry.subpath);
      if (earlier !== undefined) return `export { ${name} }; // see ${earlier}`;
      return declarationsOf(name, target, item.directory);
    });
    return `## ${path.posix.join(item.name, entry.subpath)}: ${symbols.length} exports\n\n\`\`\`ts\n${texts.join("\n")}\n\`\`\`\n`;
  });
  const parts = partsOf([...known.keys()], item.directory, checker);
  if (parts.length > 0)
    sections.push(
      `## Parts of these, without a name to import\n\n\`\`\`ts\n${parts.join("\n")}\n\`\`\`\n`,
    );
  const text = `# ${item.name}: public API\n\nWritten by \`pnpm api\` from the type files.\n\n${sections.join("\n")}`;
  return { name: item.name, file: path.join(item.directory, "api.md"), text, exports: count };
}

function exportedSymbols(program, file) {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  if (source === undefined) throw new Error(`${file} is not built; run pnpm build`);
  const module = checker.getSymbolAtLocation(source);
  const symbols = module === undefined ? [] : checker.getExportsOfModule(module);
  return symbols
    .map((symbol) => ({ name: symbol.name, target: targetOf(symbol, checker) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function targetOf(symbol, checker) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** The declarations that the exported ones name, and their dependencies, in text order. */
function partsOf(exported, directory, checker) {
  const found = new Set(exported);
  const visit = (node) => {
    const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
    const target = symbol && targetOf(symbol, checker);
    if (target?.declarations?.every((item) => ts.isSourceFile(item.parent) || isVariable(item)))
      found.add(target);
    ts.forEachChild(node, visit);
  };
  for (const symbol of found) for (const node of ownDeclarations(symbol, directory)) visit(node);
  return [...found]
    .slice(exported.length)
    .flatMap((symbol) => ownDeclarations(symbol, directory))
    .map((node) => print("", "", node).replace(/^export /, ""))
    .sort();
}

const isVariable = (node) =>
  ts.isVariableDeclaration(node) && ts.isSourceFile(node.parent.parent.parent);

function ownDeclarations(symbol, directory) {
  return (symbol.declarations ?? []).filter((node) =>
    path.normalize(node.getSourceFile().fileName).startsWith(directory + path.sep),
  );
}

function declarationsOf(name, symbol, directory) {
  const own = ownDeclarations(symbol, directory);
  if (own.length === 0) return `export { ${name} }; // of another package`;
  return own.map((node) => print(name, symbol.name, node)).join("\n");
}

function print(name, declaredName, node) {
  const whole = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  const text = printer.printNode(ts.EmitHint.Unspecified, whole, node.getSourceFile());
  const plain = text.replace(/^(export )?(declare )?/, "export ");
  return name === declaredName ? plain : `${plain} // as ${name}`;
}
