// The names that a TypeScript file itself exports. Names of `export * from` belong to the file that it names.
import ts from "typescript";

export function exportedNames(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const names = source.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) return clauseNames(statement.exportClause);
    const isExported =
      ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some(isExportKeyword);
    if (!isExported) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap((item) => boundNames(item.name));
    return statement.name === undefined ? [] : [statement.name.text];
  });
  return [...new Set(names)];
}

const isExportKeyword = (modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword;

function clauseNames(clause) {
  if (clause === undefined) return [];
  return ts.isNamespaceExport(clause)
    ? [clause.name.text]
    : clause.elements.map((element) => element.name.text);
}

function boundNames(name) {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) =>
    ts.isBindingElement(element) ? boundNames(element.name) : [],
  );
}
