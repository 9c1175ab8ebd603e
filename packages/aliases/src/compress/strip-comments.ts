import { withSyntaxTree, type GrammarName } from "../outline/grammar.ts";
import { outlineLanguage } from "../outline/outline-language.ts";
import type { SourceInput } from "../outline/outline.ts";
import type { SyntaxNode } from "../outline/syntax-node.ts";

interface LanguageComments {
  /** Node types of comments. */
  comments: string[];
  /** Node types of strings and text that may span lines, whose white space counts. */
  verbatim: string[];
}

const ECMASCRIPT: LanguageComments = {
  comments: ["comment", "html_comment"],
  verbatim: ["string", "template_string", "jsx_text"],
};
const LANGUAGES: Record<GrammarName, LanguageComments> = {
  typescript: ECMASCRIPT,
  tsx: ECMASCRIPT,
  javascript: ECMASCRIPT,
  python: { comments: ["comment"], verbatim: ["string"] },
  go: { comments: ["comment"], verbatim: ["raw_string_literal"] },
  rust: {
    comments: ["line_comment", "block_comment"],
    verbatim: ["string_literal", "raw_string_literal"],
  },
  java: { comments: ["line_comment", "block_comment"], verbatim: ["string_literal"] },
};

// Comments that tools read, so that the code means something else without them.
const DIRECTIVE =
  /^(?:#!|#.*coding[:=]|#\s*type:(?!\s*ignore)|\/\/go:|\/\/ ?\+build|\/\/\/\s*<|\/\/\s*@ts-|\/\*\s*@jsx)/;

/** Code without the blank lines and the space at line ends; its first and last line touch text on either side. */
function withoutBlankLines(code: string): string {
  const lines = code.split("\n");
  if (lines.length === 1) return code;
  const last = lines.pop() ?? "";
  const [first = "", ...middle] = lines.map((line) => line.trimEnd());
  return [first, ...middle.filter((line) => line !== ""), last].join("\n");
}

function replacementFor(comment: string): string {
  if (DIRECTIVE.test(comment)) return comment;
  // A line break inside a comment can end a statement; any other comment still keeps two words apart.
  return comment.includes("\n") ? "\n" : " ";
}

function stripTree(root: SyntaxNode, { comments, verbatim }: LanguageComments): string {
  const { source } = root;
  const special = root.descendants([...comments, ...verbatim, ...(root.hasError ? ["ERROR"] : [])]);
  let result = "";
  let code = "";
  let position = 0;
  for (const node of special) {
    if (node.start < position) continue;
    code += source.slice(position, node.start);
    const text = node.isComment ? node.text.trimEnd() : node.text;
    position = node.start + text.length;
    if (node.isComment) {
      code += replacementFor(text);
      continue;
    }
    result += withoutBlankLines(code) + text;
    code = "";
  }
  result += withoutBlankLines(code + source.slice(position));
  return result.replace(/^\n+/, "").trimEnd();
}

/**
 * A view of code without comments, blank lines and space at line ends; directives such as `//go:build` stay, strings
 * and docstrings too. Text in other languages, or too tangled to parse, comes back as it is.
 */
export async function stripComments(input: SourceInput): Promise<string> {
  const language = outlineLanguage(input.path);
  if (
    language === undefined ||
    language === "markdown" ||
    language === "json" ||
    language === "yaml"
  )
    return input.text;
  return (
    (await withSyntaxTree(language, input.text, (root) => stripTree(root, LANGUAGES[language]))) ??
    input.text
  );
}
