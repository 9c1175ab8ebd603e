import { C_STYLE, type LexicalStyle } from "../compact-text.ts";
import { declarationAt, type Declaration, type Member } from "../declaration.ts";
import { firstSentence } from "../first-sentence.ts";
import type { SyntaxNode } from "../syntax-node.ts";
import { javadocBefore, lineCommentsBefore } from "./documentation.ts";
import type { LanguageDefinition } from "./language-definition.ts";
import { replaceNode, sliceNode } from "./source-slice.ts";

type BlockLanguageName = "cpp" | "java" | "c-sharp" | "php" | "ruby" | "bash";

/** Describes a language whose types are blocks, mainly through the node names of its grammar. */
interface BlockLanguage {
  style: LexicalStyle;
  /** Separates the name of a type from the name of a nested type. */
  separator: string;
  /** The node types that declare a type. Each starts with the type's keyword. */
  types: string[];
  /** The keyword of each node type that declares a function, value or type alias. */
  values: Record<string, string>;
  /** Node types that contain declarations but are not declarations themselves. */
  wrappers: string[];
  /** Prefixes of comments that document a declaration. */
  marks: string[];
  /** If true, declarations are hidden unless `public` or `protected`. If all are hidden, all are shown. */
  needsPublic?: boolean | undefined;
  prepare?: LanguageDefinition["prepare"];
  /** True if the type's members are hidden up to a label such as `public:`. */
  isHiddenFirst?: ((type: SyntaxNode) => boolean) | undefined;
}

const SCRIPT_STYLE: LexicalStyle = { ...C_STYLE, lineComment: "#", hasBlockComments: false };
const CONDITIONS = ["preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif"];

const LANGUAGES: Record<BlockLanguageName, BlockLanguage> = {
  cpp: {
    style: C_STYLE,
    separator: "::",
    types: ["class_specifier", "struct_specifier", "union_specifier", "enum_specifier"],
    values: {
      function_definition: "func",
      declaration: "func",
      field_declaration: "field",
      alias_declaration: "using",
      type_definition: "typedef",
      preproc_def: "#define",
      preproc_function_def: "#define",
    },
    wrappers: ["namespace_definition", "linkage_specification", "declaration_list", ...CONDITIONS],
    marks: ["///", "//"],
    prepare: withoutMacros,
    isHiddenFirst: (type) => type.type === "class_specifier",
  },
  java: {
    style: C_STYLE,
    separator: ".",
    types: [
      "class_declaration",
      "interface_declaration",
      "enum_declaration",
      "record_declaration",
      "annotation_type_declaration",
    ],
    values: {
      method_declaration: "func",
      constructor_declaration: "func",
      field_declaration: "field",
      constant_declaration: "const",
      annotation_type_element_declaration: "func",
    },
    wrappers: ["enum_body_declarations"],
    marks: [],
    needsPublic: true,
  },
  "c-sharp": {
    style: C_STYLE,
    separator: ".",
    types: [
      "class_declaration",
      "struct_declaration",
      "interface_declaration",
      "record_declaration",
      "enum_declaration",
    ],
    values: {
      delegate_declaration: "delegate",
      method_declaration: "func",
      constructor_declaration: "func",
      operator_declaration: "operator",
      conversion_operator_declaration: "operator",
      indexer_declaration: "this",
      property_declaration: "property",
      field_declaration: "field",
      event_field_declaration: "event",
    },
    wrappers: ["namespace_declaration", "declaration_list", ...CONDITIONS],
    marks: ["///"],
    needsPublic: true,
  },
  php: {
    style: C_STYLE,
    separator: "::",
    types: ["class_declaration", "interface_declaration", "trait_declaration", "enum_declaration"],
    values: {
      function_definition: "function",
      method_declaration: "function",
      const_declaration: "const",
      property_declaration: "property",
    },
    wrappers: ["namespace_definition", "compound_statement", "if_statement", "else_clause"],
    marks: ["//"],
  },
  ruby: {
    style: { ...SCRIPT_STYLE, hasBraces: false },
    separator: "::",
    types: ["module", "class"],
    values: {
      method: "def",
      singleton_method: "def",
      assignment: "const",
      call: "attr",
    },
    wrappers: ["singleton_class", "body_statement", "begin", "if", "unless", "then", "else"],
    marks: ["#"],
  },
  bash: {
    style: SCRIPT_STYLE,
    separator: ".",
    types: [],
    values: { function_definition: "function", declaration_command: "export" },
    wrappers: ["compound_statement", "if_statement", "elif_clause", "else_clause"],
    marks: ["#"],
  },
};

const ENUMERATORS = new Set([
  "enum_member_declaration",
  "enumerator",
  "enum_case",
  "enum_constant",
]);
/** Node types between a declaration's head and its body. */
const BEFORE_BODY = new Set([
  "field_initializer_list",
  "constructor_initializer",
  "arrow_expression_clause",
]);
const VISIBILITY = /^(?:public|protected|private)\b/;
const DROPPED =
  /^(?:attribute_list|annotation|marker_annotation|public|internal|synchronized|native|strictfp)$/;
const MAX_DEPTH = 16;
const MAX_VALUE_CHARACTERS = 60;

/** Where a declaration is in its file. */
interface Scope {
  /** The names of the enclosing types, with a trailing separator. */
  prefix: string;
  depth: number;
  /** True inside a type, where functions and values are members. */
  isMember: boolean;
  /** True if no visibility keyword is needed, as in an interface. */
  isOpen: boolean;
  isHidden: boolean;
  /** True in a header, whose static functions are visible to other files. */
  isHeader: boolean;
}

interface Found {
  declarations: Declaration[];
  members: Member[];
}

/** Creates a reader for a language from its table. Returns the declarations that other files can use. */
export function blockLanguage(name: BlockLanguageName): LanguageDefinition {
  const language = LANGUAGES[name];
  const { style, prepare, needsPublic = false } = language;
  return {
    style,
    prepare,
    readDeclarations({ path, root }) {
      const isHeader = /\.(?:h|hh|hpp|hxx)$/i.test(path);
      const read = (isOpen: boolean): Declaration[] => {
        const found: Found = { declarations: [], members: [] };
        const scope = { prefix: "", depth: 0, isMember: false, isOpen, isHidden: false, isHeader };
        readBlock(language, root.children, { scope, found });
        return found.declarations;
      };
      const declarations = read(!needsPublic);
      return needsPublic && declarations.length === 0 ? read(true) : declarations;
    },
  };
}

/** Blanks macros before a declaration, because the parser would mistake them for its type. */
function withoutMacros(text: string): string {
  const blank = (_: string, before: string, macro: string): string =>
    before + " ".repeat(macro.length);
  return text
    .replace(/\b((?:class|struct|union|enum) +)([A-Z][A-Z0-9_]{2,})(?=[ \t]+\w)/g, blank)
    .replace(
      /^((?:[ \t]*template *<.*>)?[ \t]*)([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?=[ \t]+(?:(?:template|class|struct|enum)\b|[\w:<>*&]+[ \t*&]+[\w:~]+[ \t]*\())/gm,
      blank,
    );
}

function readBlock(
  language: BlockLanguage,
  siblings: readonly SyntaxNode[],
  { scope: outer, found }: { scope: Scope; found: Found },
): void {
  const scope = { ...outer, depth: outer.depth + 1 };
  if (scope.depth > MAX_DEPTH) return;
  for (const [index, node] of siblings.entries()) {
    if (/^(?:access_specifier|identifier)$/.test(node.type) && VISIBILITY.test(node.text))
      scope.isHidden = node.text.startsWith("private");
    const inner = node.type === "template_declaration" ? (node.parts.at(-1) ?? node) : node;
    const typeField = inner.field("type");
    const type = [inner, typeField].find(
      (candidate) => candidate !== undefined && language.types.includes(candidate.type),
    );
    const isWrapper = language.wrappers.includes(node.type) || node.type === "ERROR";
    if (isWrapper) {
      // An unnamed namespace is visible only in its own file.
      if (node.type !== "namespace_definition" || node.field("name") !== undefined)
        readBlock(
          language,
          node.children.filter(({ isNamed }) => isNamed),
          {
            scope: { ...scope, isHidden: scope.isHidden && node.type !== "singleton_class" },
            found,
          },
        );
    } else if (isShown(inner, scope)) {
      const place = { siblings, index, node, scope, found };
      if (type !== undefined && (type === inner || type.field("body") !== undefined))
        readType(language, type, place);
      else if (inner.type in language.values) readValue(language, inner, place);
    }
  }
}

interface Place {
  siblings: readonly SyntaxNode[];
  index: number;
  node: SyntaxNode;
  scope: Scope;
  found: Found;
}

/** Returns the modifiers. Java has all of them in one node, along with the annotations. */
function modifiersOf(node: SyntaxNode): SyntaxNode[] {
  return node.children.flatMap((part) => {
    if (part.type === "modifiers") return part.children;
    return /(?:modifier|^attribute_list)$/.test(part.type) ? [part] : [];
  });
}

function isShown(node: SyntaxNode, { isHidden, isOpen, isMember, isHeader }: Scope): boolean {
  const words = new Set(modifiersOf(node).map(({ text }) => text));
  if (isHidden || words.has("private")) return false;
  const [first] = node.parts;
  if (
    !isMember &&
    !isHeader &&
    first?.type === "storage_class_specifier" &&
    first.text === "static"
  )
    return false;
  return isOpen || words.has("public") || words.has("protected");
}

function readType(language: BlockLanguage, type: SyntaxNode, place: Place): void {
  const { node, scope, found } = place;
  const body = type.field("body");
  const name = type.field("name")?.text ?? declaredName(node);
  // The type of a forward declaration is declared elsewhere.
  if (name === "" || (body === undefined && type.type.endsWith("_specifier"))) return;
  const [keyword = ""] = type.type.split("_");
  const word = keyword === "annotation" ? "@interface" : keyword;
  const ownName = type.field("name") === undefined ? ` ${name}` : "";
  const inner: Found = { declarations: [], members: [] };
  const parts = body?.children ?? [];
  readBlock(language, parts, {
    scope: {
      prefix: `${scope.prefix}${name}${language.separator}`,
      depth: scope.depth,
      isMember: true,
      isOpen: language.needsPublic !== true || word.endsWith("interface"),
      isHidden: language.isHiddenFirst?.(type) === true,
      isHeader: scope.isHeader,
    },
    found: inner,
  });
  const names = parts.flatMap((part) =>
    ENUMERATORS.has(part.type) ? [part.field("name")?.text ?? ""] : [],
  );
  const listed = names.length === 0 ? [] : [{ documentation: "", text: names.join(", ") }];
  const members = [...listed, ...inner.members];
  const fullName = scope.prefix + name;
  found.declarations.push(
    declarationAt(node, {
      kind: word,
      name: fullName,
      signature: signatureOf(language, type, { from: node.start }) + ownName,
      members: body === undefined ? undefined : members,
      documentation: documentation(language, place),
    }),
  );
  found.declarations.push(...inner.declarations);
}

function readValue(language: BlockLanguage, inner: SyntaxNode, place: Place): void {
  const { node, scope, found } = place;
  const text = signatureOf(language, inner, { from: node.start });
  const declarator = inner.field("declarator");
  const isFunction = declarator !== undefined && /\(/.test(declarator.text);
  // Show plain variables and calls only if other files use them.
  if (inner.type === "declaration" && !isFunction && !/\b(?:constexpr|extern)\b/.test(text)) return;
  if (inner.type === "call" && !/^attr_\w+\s/.test(inner.text)) return;
  if (inner.type === "assignment" && inner.field("left")?.type !== "constant") return;
  if (inner.type === "declaration_command" && !text.startsWith("export ")) return;
  if (inner.type === "preproc_def" && inner.field("value") === undefined) return;
  const comment = documentation(language, place);
  if (scope.isMember) {
    found.members.push({ documentation: comment, text });
    return;
  }
  const name = inner.field("name")?.text ?? declaredName(inner);
  const kind = isFunction ? "func" : (language.values[inner.type] ?? "");
  if (name !== "")
    found.declarations.push(
      declarationAt(node, {
        kind,
        name: scope.prefix + name,
        signature: text,
        documentation: comment,
      }),
    );
}

/**
 * Returns the name in a declarator, inside pointers, references and parameters. Otherwise returns
 * the last word before a value.
 */
function declaredName(node: SyntaxNode): string {
  let declarator = node.field("declarator");
  for (let next = declarator; next !== undefined; next = next.field("declarator"))
    declarator = next;
  const text = declarator?.text ?? node.text.slice(0, 400).replace(/\s*(?:=[^]*)?;?$/, "");
  return /[\w:~$]+(?=\s*\()/.exec(text)?.[0] ?? /[\w:~$]+(?=\W*$)/.exec(text)?.[0] ?? "";
}

/** Returns a declaration up to its body on one line, without visibility keywords. */
function signatureOf(
  { style }: BlockLanguage,
  node: SyntaxNode,
  { from }: { from: number },
): string {
  const accessors = node.field("accessors");
  const body = [
    node.field("body"),
    ...node.parts.filter(({ type }) => BEFORE_BODY.has(type)),
    /[{=]/.test(accessors?.text.slice(1) ?? "") ? accessors : undefined,
  ].flatMap((part) => part?.start ?? []);
  const head = (node.field("superclass") ?? node.field("parameters") ?? node.field("name"))?.end;
  const end = style.hasBraces ? Math.min(node.end, ...body) : (head ?? node.end);
  const edits = [node, ...(node.field("parameters")?.parts ?? [])]
    .flatMap(modifiersOf)
    .filter(({ type, text }) => DROPPED.test(type) || DROPPED.test(text))
    .map((part) => replaceNode(part));
  const text = sliceNode(node, style, { from, end, edits }).replace(/;$/, "");
  const [declared = "", value = ""] = text.split(/ = ([^]*)/);
  const isValue = value.length > MAX_VALUE_CHARACTERS && !/\(|^template/.test(declared);
  return isValue ? declared : text;
}

function documentation({ marks }: BlockLanguage, { siblings, index }: Place): string {
  const found = [
    javadocBefore(siblings, index),
    ...marks.map((mark) => lineCommentsBefore(siblings, index, { mark })),
  ].find((text) => text !== "");
  return firstSentence((found ?? "").replace(/^!\S+ ?|<\/?\w[^>]*>/g, ""));
}
