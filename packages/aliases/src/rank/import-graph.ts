import { posix } from "node:path";

/** Who imports whom, by position in the list of paths. */
export interface ImportGraph {
  imports: number[][];
  importedBy: number[][];
}

/** Endings that an import leaves out or spells otherwise. */
const ENDINGS = [
  "",
  ".ts",
  ".tsx",
  ".d.ts",
  ".js",
  ".jsx",
  ".mjs",
  ".mts",
  ".cjs",
  ".cts",
  ".py",
  ".rs",
  ".go",
  ".java",
  "/index.ts",
  "/index.tsx",
  "/index.js",
  "/mod.rs",
  "/__init__.py",
];

/** Resolves the specifiers of each file to files of the same list; what leads elsewhere is left out. */
export function buildImportGraph(paths: string[], specifiers: string[][]): ImportGraph {
  const positions = new Map(paths.map((path, position) => [path, position]));
  const bySuffix = indexBySuffix(paths);
  const imports = specifiers.map((names, from) => {
    const targets = new Set<number>();
    for (const name of names) {
      const target = resolveSpecifier(paths[from] ?? "", name, { positions, bySuffix });
      if (target !== undefined && target !== from) targets.add(target);
    }
    return [...targets];
  });
  const importedBy: number[][] = paths.map(() => []);
  for (const [from, targets] of imports.entries())
    for (const target of targets) importedBy[target]?.push(from);
  return { imports, importedBy };
}

interface PathIndex {
  positions: Map<string, number>;
  bySuffix: Map<string, number>;
}

function resolveSpecifier(from: string, specifier: string, index: PathIndex): number | undefined {
  if (
    specifier.startsWith("./") ||
    specifier.startsWith("../") ||
    specifier === "." ||
    specifier === ".."
  ) {
    return lookUp(posix.join(posix.dirname(from), specifier), index.positions);
  }
  if (/^\.+\w*/.test(specifier) && from.endsWith(".py")) {
    const dots = /^\.+/.exec(specifier)?.[0].length ?? 1;
    const base = posix.join(
      posix.dirname(from),
      "../".repeat(dots - 1),
      specifier.slice(dots).replaceAll(".", "/"),
    );
    return lookUp(base, index.positions);
  }
  const path = specifier.replace(/^crate::/, "").replaceAll("::", "/");
  const dotted = /\.(?:py|java)$/.test(from) ? path.replaceAll(".", "/") : path;
  return (
    index.bySuffix.get(dotted.replace(/^[@~]\//, "")) ?? index.bySuffix.get(posix.dirname(dotted))
  );
}

function lookUp(base: string, positions: Map<string, number>): number | undefined {
  const stem = base.replace(/\.[mc]?jsx?$/, "");
  for (const ending of ENDINGS) {
    const found = positions.get(base + ending) ?? positions.get(stem + ending);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Paths without their ending, by each of their last 1 to 4 segments; what is not unique is left out. */
function indexBySuffix(paths: string[]): Map<string, number> {
  const found = new Map<string, number>();
  const ambiguous = new Set<string>();
  for (const [position, path] of paths.entries()) {
    const segments = path.replace(/(?:\/(?:index|mod|__init__))?\.\w+$/, "").split("/");
    for (let length = 2; length <= Math.min(5, segments.length); length++) {
      const suffix = segments.slice(-length).join("/");
      if (found.has(suffix)) ambiguous.add(suffix);
      else found.set(suffix, position);
    }
  }
  for (const suffix of ambiguous) found.delete(suffix);
  return found;
}
