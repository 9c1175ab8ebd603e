// The public surface of packages, read from their built type files.
import path from "node:path";

import ts from "typescript";

const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed });

/**
 * One Markdown text a package. A name that an earlier entry exports already is listed without its declaration.
 * @param {import("../graph/workspace.mjs").WorkspacePackage[]} packages Built ones.
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
    .map((symbol) => ({
      name: symbol.name,
      target: symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function declarationsOf(name, symbol, directory) {
  const own = (symbol.declarations ?? []).filter((node) =>
    path.normalize(node.getSourceFile().fileName).startsWith(directory + path.sep),
  );
  if (own.length === 0) return `export { ${name} }; // of another package`;
  return own.map((node) => print(name, symbol.name, node)).join("\n");
}

function print(name, declaredName, node) {
  const whole = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  const text = printer.printNode(ts.EmitHint.Unspecified, whole, node.getSourceFile());
  const plain = text.replace(/^(export )?(declare )?/, "export ");
  return name === declaredName ? plain : `${plain} // as ${name}`;
}
