import { C_STYLE, type LexicalStyle } from "../compact-text.ts";
import { declarationAt, type Declaration, type Member } from "../declaration.ts";
import { firstSentence } from "../first-sentence.ts";
import { joinOverloads } from "../join-overloads.ts";
import { renderSignature } from "../render-outline.ts";
import type { SyntaxNode } from "../syntax-node.ts";
import type { LanguageDefinition } from "./language-definition.ts";
import { readExportedNames, readReexports, readUnexplainedNames } from "./python-exports.ts";
import { MAX_NESTED_DEPTH } from "./nested-declarations.ts";
import { simpleValue } from "./simple-values.ts";
import { replaceNode, sliceNode, type Edit } from "./source-slice.ts";

const STYLE: LexicalStyle = {
  ...C_STYLE,
  lineComment: "#",
  hasBlockComments: false,
  hasBraces: false,
};
const MAX_DEFAULT_CHARACTERS = 24;
/** Decorators that change how a definition is used, by the last word of their name. */
const SHOWN_DECORATORS = new Set(
  "property cached_property staticmethod classmethod dataclass overload abstractmethod setter deleter contextmanager asynccontextmanager define frozen final".split(
    " ",
  ),
);
const CONDITIONAL = new Set([
  "if_statement",
  "elif_clause",
  "else_clause",
  "try_statement",
  "except_clause",
  "block",
  "ERROR",
]);

/** Returns the statements in order, including conditional ones. */
function statementsOf(block: SyntaxNode): SyntaxNode[] {
  const statements: SyntaxNode[] = [];
  const pending = [...block.parts].reverse();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (CONDITIONAL.has(node.type)) pending.push(...[...node.parts].reverse());
    else statements.push(node);
  }
  return statements;
}

function docstring(body: SyntaxNode | undefined): string {
  const string = body?.parts[0]?.parts[0];
  if (string?.type !== "string") return "";
  const content = string.parts
    .filter((part) => part.type === "string_content")
    .map((part) => part.text);
  return firstSentence(content.join(""));
}

function defaultEdits(parameters: SyntaxNode | undefined): Edit[] {
  return (parameters?.parts ?? []).flatMap((parameter) => {
    const value = parameter.field("value");
    if (
      value === undefined ||
      (value.length <= MAX_DEFAULT_CHARACTERS && !value.text.includes('"""'))
    )
      return [];
    return [replaceNode(value, "…")];
  });
}

function decoratorLines(node: SyntaxNode): string[] {
  const decorators =
    node.type === "decorated_definition"
      ? node.parts.filter((part) => part.type === "decorator")
      : [];
  return decorators.flatMap((decorator) => {
    const name = /^@\s*([\w.]+)/.exec(decorator.text)?.[1] ?? "";
    return SHOWN_DECORATORS.has(name.slice(name.lastIndexOf(".") + 1)) ? [`@${name}`] : [];
  });
}

function readDefinition(node: SyntaxNode, depth: number): Declaration | undefined {
  const definition = node.field("definition") ?? node;
  const body = definition.field("body");
  const name = definition.field("name")?.text;
  if (name === undefined) return undefined;
  const decorators = decoratorLines(node);
  const edits = defaultEdits(definition.field("parameters"));
  const signature = sliceNode(definition, STYLE, {
    end: body?.start ?? definition.end,
    edits,
  }).replace(/:[^:]*$/, "");
  const isClass = definition.type === "class_definition";
  return declarationAt(node, {
    kind: isClass ? "class" : "def",
    name,
    signature: [...decorators, signature].join("\n"),
    members: isClass && body !== undefined ? readMembers(body, depth) : undefined,
    documentation: docstring(body),
    isOverload: decorators.some((decorator) => /^@(?:\w+\.)?overload$/.test(decorator)),
  });
}

function readVariable(statement: SyntaxNode): Declaration | undefined {
  const assignment = statement.parts[0];
  const left = assignment?.field("left");
  if (assignment === undefined || left?.type !== "identifier" || assignment.type !== "assignment")
    return undefined;
  const type = assignment.field("type");
  const value = assignment.field("right");
  const typed = type === undefined ? "" : `: ${sliceNode(type, STYLE)}`;
  const shown = value === undefined ? "" : ` = ${simpleValue(value, STYLE)}`;
  const isRedundant = type !== undefined && shown.endsWith("…");
  return declarationAt(statement, {
    kind: "var",
    name: left.text,
    signature: left.text + typed + (isRedundant ? "" : shown),
  });
}

function readTypeAlias(statement: SyntaxNode): Declaration | undefined {
  const left = statement.field("left")?.text ?? "";
  const name = /^\w+/.exec(left)?.[0];
  if (name === undefined) return undefined;
  return declarationAt(statement, {
    kind: "type",
    name,
    signature: sliceNode(statement, STYLE),
  });
}

function readStatement(statement: SyntaxNode, depth = 0): Declaration[] {
  const read = {
    function_definition: readDefinition,
    class_definition: readDefinition,
    decorated_definition: readDefinition,
    expression_statement: readVariable,
    type_alias_statement: readTypeAlias,
  }[statement.type];
  const declaration = read?.(statement, depth);
  return declaration === undefined ? [] : [declaration];
}

const isPublic = (name: string): boolean => !name.startsWith("_");
const isDunder = (name: string): boolean => /^__\w+__$/.test(name);

function readMembers(body: SyntaxNode, depth: number): Member[] {
  if (depth > MAX_NESTED_DEPTH) return [{ documentation: "", text: "…" }];
  const declarations = statementsOf(body).flatMap((statement) =>
    readStatement(statement, depth + 1),
  );
  return joinOverloads(declarations, STYLE)
    .filter(({ name }) => isPublic(name) || isDunder(name))
    .map((declaration) => ({
      documentation: declaration.documentation,
      text: renderSignature({ ...declaration, documentation: "" }, STYLE),
    }));
}

/**
 * Python: the names in `__all__`, or names without a leading underscore if there is no `__all__`.
 */
export const PYTHON_DEFINITION: LanguageDefinition = {
  style: STYLE,
  readDeclarations({ path, root }) {
    const statements = statementsOf(root);
    const listed = readExportedNames(statements);
    const isExported = (name: string): boolean =>
      listed === undefined ? isPublic(name) : listed.has(name);
    const declared = joinOverloads(
      statements.flatMap((statement) => readStatement(statement)),
      STYLE,
    );
    const shown = declared.filter(({ name }) => isExported(name));
    const names = new Set(shown.map(({ name }) => name));
    const isPackage = /(?:^|\/)__init__\.pyi?$/.test(path);
    const imported = readReexports(statements, { listed, isPackage, style: STYLE });
    const reexported = imported.filter(
      ({ exports }) => exports.length === 0 || exports.some((name) => !names.has(name)),
    );
    const explained = new Set([...names, ...reexported.flatMap(({ exports }) => exports)]);
    return [...reexported, ...shown, ...readUnexplainedNames(statements, explained)];
  },
};
