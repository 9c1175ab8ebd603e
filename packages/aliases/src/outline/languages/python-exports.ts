import type { LexicalStyle } from "../compact-text.ts";
import { declarationAt, type Declaration } from "../declaration.ts";
import type { SyntaxNode } from "../syntax-node.ts";
import { sliceNode } from "./source-slice.ts";

function stringValues(list: SyntaxNode | undefined): string[] {
  return (list?.parts ?? [])
    .filter((part) => part.type === "string")
    .map((part) => part.parts.find((inner) => inner.type === "string_content")?.text ?? "");
}

function assignedList(statement: SyntaxNode): SyntaxNode | undefined {
  const assignment = statement.type === "expression_statement" ? statement.parts[0] : undefined;
  return assignment?.field("left")?.text === "__all__" ? assignment.field("right") : undefined;
}

/** Returns the names in `__all__`, or undefined if the module does not define it. */
export function readExportedNames(statements: readonly SyntaxNode[]): Set<string> | undefined {
  const lists = statements.flatMap((statement) => assignedList(statement) ?? []);
  return lists.length === 0 ? undefined : new Set(lists.flatMap(stringValues));
}

/** Returns names in `__all__` that the module neither declares nor imports by name. They are added at run time. */
export function readUnexplainedNames(
  statements: readonly SyntaxNode[],
  explained: ReadonlySet<string>,
): Declaration[] {
  return statements.flatMap((statement) => {
    const exports = stringValues(assignedList(statement)).filter((name) => !explained.has(name));
    const [name] = exports;
    if (name === undefined) return [];
    return [
      declarationAt(statement, {
        kind: "__all__",
        name,
        exports,
        signature: `__all__ = ${exports.join(", ")}`,
      }),
    ];
  });
}

function importedName(part: SyntaxNode): { name: string; isRenamed: boolean } {
  const alias = part.field("alias");
  return { name: (alias ?? part).text, isRenamed: alias !== undefined };
}

/**
 * Returns imported names that a module re-exports: names in `__all__`, names renamed to themselves,
 * and relative imports in a package.
 */
export function readReexports(
  statements: readonly SyntaxNode[],
  options: { listed: ReadonlySet<string> | undefined; isPackage: boolean; style: LexicalStyle },
): Declaration[] {
  const { listed, isPackage, style } = options;
  return statements.flatMap((statement) => {
    if (statement.type !== "import_from_statement") return [];
    const [source, ...parts] = statement.parts;
    if (source === undefined) return [];
    const exported = parts.filter((part) => {
      if (part.type === "wildcard_import") return isPackage;
      const { name, isRenamed } = importedName(part);
      if (listed !== undefined) return listed.has(name);
      const isSame = isRenamed && part.field("name")?.text === name;
      return isSame || (isPackage && source.type === "relative_import" && !name.startsWith("_"));
    });
    if (exported.length === 0) return [];
    const exports = exported
      .filter((part) => part.type !== "wildcard_import")
      .map((part) => importedName(part).name);
    const names = exported.map((part) => sliceNode(part, style)).join(", ");
    return [
      declarationAt(statement, {
        kind: "from",
        name: exports[0] ?? source.text,
        exports,
        signature: `from ${source.text} import ${names}`,
      }),
    ];
  });
}
