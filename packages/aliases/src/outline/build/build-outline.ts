import { throwIfAborted } from "@ccl/core/async";

import { AliasesError } from "../../aliases-error.ts";
import { C_STYLE, isBalanced, type LexicalStyle } from "../compact-text.ts";
import { codePart } from "../code-part.ts";
import type { Declaration } from "../declaration.ts";
import { withSyntaxTree } from "../grammar.ts";
import { blockLanguage } from "../languages/block-languages.ts";
import { readCss } from "../languages/css.ts";
import { GO_DEFINITION } from "../languages/go.ts";
import { readJson } from "../languages/json.ts";
import type { LanguageDefinition } from "../languages/language-definition.ts";
import { readMarkdown } from "../languages/markdown.ts";
import { PYTHON_DEFINITION } from "../languages/python.ts";
import { RUST_DEFINITION } from "../languages/rust.ts";
import { ECMASCRIPT_DEFINITION } from "../languages/typescript.ts";
import { readYaml } from "../languages/yaml.ts";
import { outlineLanguage } from "../outline-language.ts";
import type { GrammarName, Outline, OutlineLanguage, SourceInput } from "../outline.ts";
import { renderSignature } from "../render-outline.ts";
import { readUnreadExports } from "../unread-exports.ts";

const DEFINITIONS: Record<GrammarName, LanguageDefinition> = {
  typescript: ECMASCRIPT_DEFINITION,
  tsx: ECMASCRIPT_DEFINITION,
  javascript: ECMASCRIPT_DEFINITION,
  python: PYTHON_DEFINITION,
  go: GO_DEFINITION,
  rust: RUST_DEFINITION,
  java: blockLanguage("java"),
  cpp: blockLanguage("cpp"),
  "c-sharp": blockLanguage("c-sharp"),
  php: blockLanguage("php"),
  ruby: blockLanguage("ruby"),
  bash: blockLanguage("bash"),
};

interface Reading {
  declarations: Declaration[];
  hasErrors?: boolean | undefined;
  /** Exported names in broken code for which only one line was recovered. */
  unread?: string[] | undefined;
  style?: LexicalStyle | undefined;
}

/**
 * Returns the declaration if its text is complete, otherwise its kind and name if these are. Broken
 * code may lack a bracket or a quote. Returns an empty list if neither is complete.
 */
function completePart(declaration: Declaration, style: LexicalStyle): Declaration[] {
  if (declaration.name === "") return [];
  if (isBalanced(renderSignature(declaration, style), style)) return [declaration];
  const head = `${declaration.kind} ${declaration.name}`;
  return isBalanced(head, style) ? [{ ...declaration, signature: head, members: undefined }] : [];
}

async function readCode(input: SourceInput, language: GrammarName): Promise<Reading> {
  const definition = DEFINITIONS[language];
  const { style } = definition;
  const reading = await withSyntaxTree(
    language,
    definition.prepare?.(input.text) ?? input.text,
    (root): Reading => {
      const declarations = definition.readDeclarations({ path: input.path, root });
      return {
        // Even valid code may have an unpaired bracket or quote, for example in a regular expression.
        declarations: root.hasError
          ? declarations.flatMap((item) => completePart(item, style))
          : declarations.filter(({ name }) => name !== ""),
        hasErrors: root.hasError,
      };
    },
  );
  const { declarations, hasErrors } = reading ?? { declarations: [], hasErrors: true };
  if (!hasErrors) return { declarations, hasErrors, style };
  const lost = readUnreadExports(input.text, language, declarations).flatMap((item) =>
    completePart(item, style),
  );
  return {
    declarations: [...declarations, ...lost].sort((a, b) => a.firstLine - b.firstLine),
    hasErrors,
    unread: lost.map(({ name }) => name),
    style,
  };
}

async function readSource(
  input: SourceInput,
  language: OutlineLanguage | undefined,
): Promise<Reading> {
  switch (language) {
    case undefined:
      return { declarations: [] };
    case "markdown":
      return { declarations: readMarkdown(input.text) };
    case "json":
      return readJson(input.text);
    case "css":
      return readCss(input.text);
    case "yaml":
      return readYaml(input.text);
    case "kotlin":
    case "swift":
    case "scala":
    case "sql":
      return {
        declarations: readUnreadExports(input.text, language, []).flatMap((item) =>
          completePart(item, C_STYLE),
        ),
      };
    default:
      return readCode(input, language);
  }
}

/**
 * Builds the outline of a file: its declarations and exports, without bodies. Reads code through
 * its syntax tree, Markdown by its headings, JSON and YAML by their keys. The outline has no items
 * if the path's language is unknown or nothing was found.
 */
export async function buildOutline(
  input: SourceInput,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<Outline> {
  throwIfAborted(signal, AliasesError);
  const language = outlineLanguage(input.path);
  const plain = input.text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  const text = codePart(input.path, plain);
  const {
    declarations,
    style = C_STYLE,
    hasErrors = false,
    unread = [],
  } = await readSource({ ...input, text }, language);
  const items = declarations.map((declaration) => {
    const { name, kind, exports, firstLine, lastLine } = declaration;
    const signature = renderSignature(declaration, style);
    return { name, kind, exports, text: signature, firstLine, lastLine };
  });
  return {
    language,
    text: items.map((item) => item.text).join("\n"),
    items,
    exports: [...new Set(items.flatMap((item) => item.exports))],
    hasErrors,
    unread,
  };
}
