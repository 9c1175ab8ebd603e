import type { Declaration } from "./declaration.ts";
import type { GrammarName } from "./grammar.ts";

const MAX_LINE_CHARACTERS = 400;
const ECMASCRIPT =
  /^export (?:default |declare |async )*(abstract class|const enum|class|interface|type|enum|function\*?|const|let|var|namespace) +(?!extends\b|implements\b)([\w$]+)/;
/** An exported declaration at the start of a line: its kind, then its name. */
const EXPORTED: Record<GrammarName, RegExp> = {
  typescript: ECMASCRIPT,
  tsx: ECMASCRIPT,
  javascript: ECMASCRIPT,
  python: /^(?:async )?(def|class) +([A-Za-z]\w*)/,
  go: /^(func|type|var|const) +(?:\([^)]*\) *)?([A-Z]\w*)/,
  rust: /^pub (?:async |unsafe |const (?=fn))*(fn|struct|enum|union|trait|type|static|const|mod) +(\w+)/,
  java: /^public (?:final |abstract |sealed |static )*(class|interface|enum|record) +(\w+)/,
};

/**
 * What lines seem to export that the parser lost in broken code, by their heads and, as far as one line goes, their
 * signatures.
 */
export function readUnreadExports(
  text: string,
  language: GrammarName,
  known: readonly Declaration[],
): Declaration[] {
  const seen = new Set(known.flatMap(({ exports, name }) => [...exports, name]));
  const found: Declaration[] = [];
  for (const [index, whole] of text.split("\n").entries()) {
    const line = whole.slice(0, MAX_LINE_CHARACTERS);
    const [, kind, name] = EXPORTED[language].exec(line) ?? [];
    if (kind === undefined || name === undefined || seen.has(name)) continue;
    seen.add(name);
    const signature = line
      .slice(line.indexOf(kind))
      .replace(/\s*(?:\{|:|=>?)\s*$/, "")
      .trimEnd();
    found.push({
      kind,
      name,
      exports: [name],
      head: name,
      signature,
      members: undefined,
      documentation: "",
      firstLine: index + 1,
      lastLine: index + 1,
      isOverload: false,
    });
  }
  return found;
}
