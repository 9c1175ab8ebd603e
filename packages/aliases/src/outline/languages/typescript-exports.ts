import { declarationAt, type Declaration } from "../declaration.ts";
import type { SyntaxNode } from "../syntax-node.ts";
import { readLocalDeclarations } from "./typescript-declarations.ts";
import { compactNode } from "./typescript-slices.ts";
import { initializerText } from "./typescript-values.ts";

/** A name in an export list. */
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

/** Returns the names under which export lists and CommonJS assignments export local declarations, by local name. */
export function readExportLists(statements: readonly SyntaxNode[]): Map<string, string[]> {
  const exported = new Map<string, string[]>();
  const add = (local: string, name: string | undefined): void => {
    const names = exported.get(local) ?? [];
    exported.set(local, name === undefined ? names : [...names, name]);
  };
  for (const statement of statements) {
    const clause = exportClause(statement);
    if (clause !== undefined) {
      // A renamed declaration appears under its original name, and the list that renames it is
      // kept.
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
  return lineDeclaration(statement, {
    kind: "export default",
    head: valueText(value),
    exports: ["default"],
  });
}

/** Reads exports that do not declare anything themselves: lists, stars, `export =`, a default value. */
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

const COMMON_JS_TARGET = /^(?:module\.)?exports(?:\.([\w$]+))?$/;
const MEMBER_TARGET = /^([\w$]+)((?:\.[\w$]+)*)\.([\w$]+)$/;
const CALLABLE = /function|class/;

/** Returns the shape of an assigned value, as an expression. */
const valueText = (value: SyntaxNode): string => initializerText(value).replace(/^(?:: | = )/, "");
const MAX_TARGET_CHARACTERS = 100;

interface Assignment {
  /** The left-hand sides without spaces, in order. `a.b = c = value` has two. */
  targets: string[];
  value: SyntaxNode;
}

/**
 * Returns the assignments of a statement, including those in a variable's initializer, such as
 * `const app = module.exports = {}`.
 */
function assignmentsOf(statement: SyntaxNode): Assignment[] {
  const isVariable = /^(?:variable|lexical)_declaration$/.test(statement.type);
  if (!isVariable && statement.type !== "expression_statement") return [];
  const roots = statement.parts.flatMap((part) =>
    part.type === "sequence_expression" ? part.parts : [part],
  );
  return roots.flatMap((root) => {
    const targets: string[] = [];
    const add = (target: SyntaxNode | undefined): void => {
      if (target !== undefined && target.length <= MAX_TARGET_CHARACTERS)
        targets.push(target.text.replaceAll(/\s/g, ""));
    };
    if (isVariable) add(root.field("name"));
    let value = isVariable ? root.field("value") : root;
    while (value?.type === "assignment_expression") {
      add(value.field("left"));
      value = value.field("right");
    }
    return value === undefined || value === root ? [] : [{ targets, value }];
  });
}

/**
 * Reads assignments to `module.exports` or its properties. Returns what they export, and which
 * local names they mention.
 */
export function readCommonJs(
  statement: SyntaxNode,
): { declarations: Declaration[]; locals: string[] } | undefined {
  const found = assignmentsOf(statement).filter(({ targets }) =>
    targets.some((target) => COMMON_JS_TARGET.test(target)),
  );
  if (found.length === 0) return undefined;
  return {
    declarations: found.flatMap((assignment) => commonJsDeclarations(statement, assignment)),
    locals: found.flatMap(({ targets, value }) => [
      ...targets,
      ...(value.type === "object" ? value.parts : [value])
        .map((part) => part.field("value") ?? part)
        .filter(({ type }) => type.endsWith("identifier"))
        .map(({ text }) => text),
    ]),
  };
}

/** Reads the value assigned to a target: a class with its members, or the shape of any other value. */
function assigned(
  statement: SyntaxNode,
  value: SyntaxNode,
  parts: { target: string; kind: string; name: string; exports: string[] },
): Declaration {
  const { target, kind, name, exports } = parts;
  const line = { kind, name: exports[0] ?? name, exports };
  const [declaration] = CALLABLE.test(value.type) ? readLocalDeclarations(value, () => []) : [];
  if (declaration?.members !== undefined)
    return declarationAt(statement, {
      ...line,
      kind: `${target} = class`,
      signature: `${target} = ${declaration.signature}`,
      members: declaration.members,
    });
  const isNamed =
    declaration !== undefined && declaration.name !== "" && declaration.name === exports[0];
  const signature = `${target} = ${isNamed ? declaration.signature : valueText(value)}`;
  return declarationAt(statement, { ...line, signature });
}

function commonJsDeclarations(
  statement: SyntaxNode,
  { targets, value }: Assignment,
): Declaration[] {
  // `exports = module.exports = value` is a single export.
  const named = targets.filter((target) => COMMON_JS_TARGET.test(target));
  return named.slice(named[0] === "exports" && named.length > 1 ? 1 : 0).map((target) => {
    const name = COMMON_JS_TARGET.exec(target)?.[1];
    if (name !== undefined) {
      const kind = target.slice(0, -name.length - 1);
      return assigned(statement, value, { target, kind, name, exports: [name] });
    }
    const keys = value.parts
      .map((pair) => pair.field("key") ?? pair.field("name") ?? pair)
      .filter((key) => !key.type.startsWith("spread"))
      .map(unquoted);
    const ownName = CALLABLE.test(value.type) ? [value.field("name")?.text ?? "default"] : [];
    const exports = value.type === "object" ? keys : ownName;
    return assigned(statement, value, { target, kind: `${target} =`, name: target, exports });
  });
}

/**
 * Reads members that a statement adds to a visible name, such as `Foo.prototype.bar = function ()
 * {}`. `isVisible` is undefined for a name that the file does not declare. Reads only functions and
 * classes, because everything else is a setting.
 */
export function readMemberAssignments(
  statement: SyntaxNode,
  isVisible: (name: string) => boolean | undefined,
): Declaration[] {
  if (statement.type !== "expression_statement") return [];
  return assignmentsOf(statement).flatMap(({ targets, value }) =>
    targets.flatMap((target) => {
      const [, root = "", path = "", name = ""] = MEMBER_TARGET.exec(target) ?? [];
      const isShown = isVisible(root) ?? CALLABLE.test(value.type);
      if (root === "" || !isShown) return [];
      const owner = root + path;
      const fullName = `${owner.replace(/\.prototype$/, "")}.${name}`;
      return [assigned(statement, value, { target, kind: owner, name, exports: [fullName] })];
    }),
  );
}
