import type { OutlineLanguage } from "./outline.ts";
import { sourceLines } from "./source-lines.ts";

const MAX_LINE_CHARACTERS = 2_000;
const ECMASCRIPT_FROM = /^\s*[\w${}*][^"'`()=]*?\bfrom\s*["']([^"']+)["']/;
const ECMASCRIPT_CALL = /(?:\b(?:require|import)\s*\(\s*|^\s*import\s*)["']([^"'\n]+)["']/g;
const PYTHON_FROM = /^\s*from +(\.*[\w.]*) +import +\(?([^)#]*)/;
const PYTHON_IMPORT = /^\s*import +([\w., ]+)/;
const GO_PATH = /^\s*(?:import +)?(?:[\w.]+ +)?"([^"]+)"/;
const RUST_MODULE = /^\s*(?:pub(?:\([^)]*\))? )?mod +(\w+)\s*;/;
const RUST_USE = /^\s*(?:pub(?:\([^)]*\))? )?use +(.*)/;
const JAVA_IMPORT = /^\s*import +(?:static +)?([\w.]+(?:\.\*)?)\s*;/;

function scanEcmaScript(text: string): string[] {
  const found: string[] = [];
  for (const line of sourceLines(text, MAX_LINE_CHARACTERS)) {
    // Cheap test first, because few lines import anything.
    if (!line.includes("from") && !line.includes("import") && !line.includes("require")) continue;
    for (const statement of line.split(";")) {
      const source = ECMASCRIPT_FROM.exec(statement)?.[1];
      if (source !== undefined) found.push(source);
    }
    for (const [, source = ""] of line.matchAll(ECMASCRIPT_CALL)) found.push(source);
  }
  return found;
}

function firstWords(list: string): string[] {
  return list.split(",").flatMap((item) => /^\s*([\w.]+)/.exec(item)?.[1] ?? []);
}

function scanPython(text: string): string[] {
  const found: string[] = [];
  for (const line of sourceLines(text, MAX_LINE_CHARACTERS)) {
    const [, source = "", names = ""] = PYTHON_FROM.exec(line) ?? [];
    // `from . import a` names modules, not members.
    if (source !== "")
      found.push(
        source,
        ...(/^\.+$/.test(source) ? firstWords(names).map((name) => source + name) : []),
      );
    else found.push(...firstWords(PYTHON_IMPORT.exec(line)?.[1] ?? ""));
  }
  return found;
}

function scanGo(text: string): string[] {
  const found: string[] = [];
  let isInside = false;
  for (const line of sourceLines(text, MAX_LINE_CHARACTERS)) {
    if (/^(?:func|type)\b/.test(line)) break;
    if (/^import\s*\(/.test(line)) isInside = true;
    const path = isInside || line.startsWith("import") ? GO_PATH.exec(line)?.[1] : undefined;
    if (path !== undefined) found.push(path);
    if (line.includes(")")) isInside = false;
  }
  return found;
}

/** The paths of a `use` tree: `a::{b, c::d}` is `a::b` and `a::c::d`. */
function usedPaths(tree: string): string[] {
  const found: string[] = [];
  const prefixes: string[] = [];
  for (const [, path = "", mark = ""] of tree.matchAll(/([\w:*# ]*)([{},;]|$)/g)) {
    const name = path.replace(/ as .*/, "").replaceAll(" ", "");
    const prefix = prefixes.at(-1) ?? "";
    if (mark === "{") prefixes.push(prefix + name);
    else if (name !== "") found.push(name === "self" ? prefix.replace(/::$/, "") : prefix + name);
    if (mark === "}") prefixes.pop();
    if (mark === ";") break;
  }
  return found;
}

function scanRust(text: string): string[] {
  const found: string[] = [];
  let pending = "";
  for (const line of sourceLines(text, MAX_LINE_CHARACTERS)) {
    const module = RUST_MODULE.exec(line)?.[1];
    if (module !== undefined) found.push(module);
    const start = RUST_USE.exec(line)?.[1];
    if (start !== undefined) pending = start;
    else if (pending !== "") pending += line;
    if (!pending.includes(";") && pending.length < MAX_LINE_CHARACTERS) continue;
    found.push(...usedPaths(pending));
    pending = "";
  }
  return found;
}

function scanJava(text: string): string[] {
  return [...sourceLines(text, MAX_LINE_CHARACTERS)].flatMap(
    (line) => JAVA_IMPORT.exec(line)?.[1] ?? [],
  );
}

const SCANNERS: Partial<Record<OutlineLanguage, (text: string) => string[]>> = {
  typescript: scanEcmaScript,
  tsx: scanEcmaScript,
  javascript: scanEcmaScript,
  python: scanPython,
  go: scanGo,
  rust: scanRust,
  java: scanJava,
};

/**
 * Distinct modules that a text imports or re-exports, as written, in its order. Matches lines with patterns instead of
 * parsing. That is fast enough for thousands of files, but also finds imports inside comments.
 */
export function scanImports(text: string, language: OutlineLanguage | undefined): string[] {
  const scan = language === undefined ? undefined : SCANNERS[language];
  return scan === undefined ? [] : [...new Set(scan(text))];
}
