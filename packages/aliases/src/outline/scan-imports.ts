import type { OutlineLanguage } from "./outline.ts";

// Each pattern starts at a keyword and its runs are bounded, so that hostile text costs linear time.
const ECMASCRIPT = [
  /(?:^|[;}])[ \t]{0,8}(?:import|export)\b[^"'`;()=]{0,4000}?\bfrom\s{0,8}["']([^"'\n]{1,400})["']/gm,
  /(?:^|[;}])[ \t]{0,8}import\s{0,8}["']([^"'\n]{1,400})["']/gm,
  /\b(?:require|import)\s{0,8}\(\s{0,8}["']([^"'\n]{1,400})["']/g,
];
const PATTERNS: Partial<Record<OutlineLanguage, RegExp[]>> = {
  typescript: ECMASCRIPT,
  tsx: ECMASCRIPT,
  javascript: ECMASCRIPT,
  java: [/^[ \t]{0,8}import +(?:static +)?([\w.]{1,300}(?:\.\*)?) *;/gm],
  rust: [
    /^[ \t]{0,12}(?:pub(?:\([^)\n]{1,40}\))? +)?mod +(\w{1,80}) *;/gm,
    /^[ \t]{0,12}(?:pub(?:\([^)\n]{1,40}\))? +)?use +([^;]{1,2000});/gm,
  ],
};
const PYTHON_FROM = /^[ \t]{0,12}from +(\.{0,20}[\w.]{0,200}) +import\b[ \t]*(\([^)]{0,4000}\)|[^\n#]{0,400})/gm;
const PYTHON_IMPORT = /^[ \t]{0,12}import +([\w., ]{1,400})/gm;
const GO_IMPORT = /^import +(?:[\w.]{1,80} +)?(?:"([^"\n]{1,300})"|\(([^)]{0,20000})\))/gm;

function scanPython(text: string): string[] {
  const found: string[] = [];
  for (const [, source = "", names = ""] of text.matchAll(PYTHON_FROM)) {
    found.push(source);
    // `from . import a` names modules, not members.
    const isPackage = /^\.+$/.test(source);
    if (isPackage) found.push(...names.replace(/[()]/g, "").split(",").map((name) => source + (name.trim().split(" ")[0] ?? "")).filter((name) => name !== source)); // prettier-ignore
  }
  for (const [, names = ""] of text.matchAll(PYTHON_IMPORT)) {
    found.push(...names.split(",").map((name) => name.trim().split(" ")[0] ?? ""));
  }
  return found;
}

function scanGo(text: string): string[] {
  return [...text.matchAll(GO_IMPORT)].flatMap(([, single, block = ""]) => {
    if (single !== undefined) return [single];
    return [...block.matchAll(/^[ \t]{0,8}(?:[\w.]{1,80}[ \t]{1,8})?"([^"\n]{1,300})"/gm)].map(([, path = ""]) => path);
  });
}

/**
 * The modules that a text imports or re-exports, as written there, each once, ordered by kind of import. Looks at
 * lines with patterns, not at syntax: quick enough for thousands of files, and fooled by imports inside comments.
 */
export function scanImports(text: string, language: OutlineLanguage | undefined): string[] {
  if (language === "python") return [...new Set(scanPython(text))].filter((name) => name !== "");
  if (language === "go") return [...new Set(scanGo(text))];
  const patterns = language === undefined ? [] : (PATTERNS[language] ?? []);
  const found = patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = ""]) => name));
  return [...new Set(found.map((name) => name.replace(/\s+/g, " ").trim()))];
}
