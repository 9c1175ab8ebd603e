import type { OutlineLanguage } from "./outline.ts";

// Anchored to the start of a line with bounded runs between words, so that each line is looked at once.
const ECMASCRIPT =
  /^[ \t]{0,8}(?:export +)?(?:default +)?(?:declare +)?(?:(?:abstract|async|public|protected|static|readonly|override) +){0,4}(?:(?:function\*?|class|interface|type|enum|const enum|const|let|var|namespace|module) +([\w$]{1,80})|(?:get +|set +|\*)?([\w$]{1,80})(?:<[^>(\n]{0,80}>)?\([^\n]{0,200}\)[^\n;=]{0,80}\{[ \t]*$)/gm;
const PATTERNS: Partial<Record<OutlineLanguage, RegExp>> = {
  typescript: ECMASCRIPT,
  tsx: ECMASCRIPT,
  javascript: ECMASCRIPT,
  python: /^[ \t]{0,12}(?:(?:async +)?def|class) +(\w{1,80})|^([A-Za-z_]\w{0,79})(?: *:[^=\n]{1,80})? *=(?!=)/gm,
  go: /^(?:func +(?:\([^)\n]{0,120}\) *)?|type +|var +|const +|\t)([A-Za-z_]\w{0,79})(?=[ [(])/gm,
  rust: /^[ \t]{0,12}(?:pub(?:\([^)\n]{1,40}\))? +)?(?:(?:async|const|unsafe|default|extern "C") +){0,3}(?:fn|struct|enum|union|trait|type|mod|static|const|macro_rules!) +(?:mut +)?(\w{1,80})/gm,
  java: /^[ \t]{0,12}(?:(?:public|protected|private|static|final|abstract|default|synchronized|sealed|native|strictfp) +){0,6}(?:(?:class|interface|enum|record|@interface) +(\w{1,80})|(?:<[^>\n]{1,80}> +)?[\w.<>[\], ?]{1,80} +(\w{1,80}) *\([^\n]{0,300}[{;][ \t]*$)/gm,
  markdown: /^#{1,6} +([^\n]{1,120})$/gm,
  json: /^[ \t]{0,4}"([\w$.-]{1,80})" *:/gm,
  yaml: /^ {0,2}([\w.-]{1,80}) *:(?= |$)/gm,
};
const KEYWORDS = new Set([
  "if",
  "for",
  "while",
  "switch",
  "catch",
  "return",
  "function",
  "with",
  "else",
  "do",
  "try",
  "new",
]);

/**
 * Names that a text seems to declare, in its order, each once. Looks at lines with patterns, not at syntax: quick
 * enough to rank thousands of files, and fooled by declarations inside comments.
 */
export function scanDeclarations(text: string, language: OutlineLanguage | undefined): string[] {
  const pattern = language === undefined ? undefined : PATTERNS[language];
  if (pattern === undefined) return [];
  const names = new Set<string>();
  for (const [, first, second] of text.matchAll(pattern)) {
    const name = first ?? second;
    if (name !== undefined && !KEYWORDS.has(name)) names.add(name);
  }
  return [...names];
}
