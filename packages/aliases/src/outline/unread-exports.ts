import { declarationAt, type Declaration } from "./declaration.ts";
import type { GrammarName, OutlineLanguage } from "./outline.ts";

const MAX_LINE_CHARACTERS = 400;
const ECMASCRIPT =
  /^export (?:default |declare |async )*(abstract class|const enum|class|interface|type|enum|function\*?|const|let|var|namespace) +(?!extends\b|implements\b)([\w$]+)/;
/** Languages that are read line by line, without a grammar. */
type LineLanguage = Exclude<OutlineLanguage, GrammarName | "css" | "markdown" | "json" | "yaml">;

/** Matches an exported declaration at the start of a line. Captures its kind, then its name. */
export const EXPORTED: Record<GrammarName | LineLanguage, RegExp> = {
  typescript: ECMASCRIPT,
  tsx: ECMASCRIPT,
  javascript: ECMASCRIPT,
  python: /^(?:async )?(def|class) +([A-Za-z]\w*)/,
  go: /^(func|type|var|const) +(?:\([^)]*\) *)?([A-Z]\w*)/,
  rust: /^pub (?:async |unsafe |const (?=fn))*(fn|struct|enum|union|trait|type|static|const|mod) +(\w+)/,
  java: /^public (?:final |abstract |sealed |static )*(class|interface|enum|record) +(\w+)/,
  cpp: /^(?:[A-Z][A-Z0-9_]+ +)?(?:template *<[^>]*> *)?(class|struct|union|enum(?: class)?) +(?:[A-Z_]+ +)?(\w+)|^(?!(?:static|typedef|return|else|using|extern)\b)((?:[A-Za-z_][\w:<>,]*[ *&]+)+?)([A-Za-z_][\w:~]*) *\([^;]*$/,
  "c-sharp":
    /^\s*public (?:sealed |abstract |static |partial |readonly )*(class|interface|struct|record|enum) +(\w+)/,
  php: /^(?:abstract |final |readonly )*(class|interface|trait|enum|function) +(\w+)/,
  ruby: /^\s*(class|module|def) +([\w.:]+[?!=]?)/,
  bash: /^(function ?|)([\w:-]+) *\(\)/,
  kotlin:
    /^(?:@\w+ +)*(?:(?:public|internal|protected|open|abstract|sealed|data|inline|value|enum|annotation|override|suspend|operator|infix|tailrec|const|lateinit|expect|actual) )*(class|interface|object|fun(?: interface)?|val|var|typealias) +(?:<[^>]*> *)?(?:[\w<>,?*]+\.)*(\w+)/,
  swift:
    /^(?:@\w+ +)*(?:(?:public|open|internal|final|static|class(?= func)|mutating|override|indirect|convenience|required|nonisolated) )*(class|struct|enum|protocol|extension|actor|func|typealias|var|let) +(\w+)/,
  scala:
    /^(?:(?:sealed|abstract|final|implicit|case|override|lazy|inline|opaque) )*(class|trait|object|enum|def|val|type|given) +(\w+)/,
  sql: /^create +(?:or +replace +|temp(?:orary)? +|unique +|materialized +)*(table|view|function|procedure|type|domain|index|trigger) +(?:if +not +exists +)?([\w."]+)/i,
};

/** Languages whose members are read too. */
const BY_LINES: ReadonlySet<string> = new Set(["kotlin", "swift", "scala"]);

/** Matches a line that encloses other lines: a type, whose members are read, or anything else. */
const HOLDER =
  /^(?:[@\w]+ )*(?:(class|object|interface|struct|enum|protocol|extension|actor|trait)|fun|func|def|va[lr]|let|init) */;

/**
 * Recovers exports that the parser lost in broken code, by matching single lines. Returns the start
 * of each declaration and the part of its signature on that line.
 */
export function readUnreadExports(
  text: string,
  language: keyof typeof EXPORTED,
  known: readonly Declaration[],
): Declaration[] {
  const seen = new Set(known.flatMap(({ exports, name }) => [...exports, name]));
  const found: Declaration[] = [];
  const hasMembers = BY_LINES.has(language);
  // Enclosing declarations, innermost last. Lines with deeper indentation belong to them.
  let holders: { depth: number; isRead: boolean; inner: number }[] = [];
  for (const [index, whole] of text.split("\n").entries()) {
    const depth = hasMembers ? /^\s*(?=[@\w])/.exec(whole)?.[0].length : 0;
    if (depth === undefined) continue;
    const line = whole.slice(depth, depth + MAX_LINE_CHARACTERS);
    holders = holders.filter((holder) => holder.depth < depth);
    const isRead = holders.every((holder) => holder.isRead);
    const nearest = holders.at(-1);
    if (nearest !== undefined) nearest.inner = Math.min(nearest.inner, depth);
    const [holder, type] = (hasMembers && HOLDER.exec(line)) || [];
    if (holder !== undefined)
      holders.push({
        depth,
        isRead: type !== undefined && !/\b(?:file)?private\b/.test(holder),
        inner: Number.POSITIVE_INFINITY,
      });
    if (!isRead) continue;
    const groups = EXPORTED[language].exec(line)?.slice(1) ?? [];
    const [kind, name] = groups.filter((group) => group !== undefined);
    if (kind === undefined || name === undefined || seen.has(name)) continue;
    // A value may be local if it is nested deeper than a type's members, or inside anything else.
    if (depth > 0 && depth !== nearest?.inner && /^(?:va[lr]|let)$/.test(kind)) continue;
    seen.add(name);
    const signature = line
      .slice(line.indexOf(kind))
      .replace(/(?:\s*(?:\{|:|=>?|\(|;))+\s*$/, "")
      .trimEnd();
    const place = { firstLine: index + 1, lastLine: index + 1 };
    found.push(declarationAt(place, { kind, name, signature }));
  }
  return found;
}
