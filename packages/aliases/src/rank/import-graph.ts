import { posix } from "node:path";

import type { ModuleName } from "./module-names.ts";

/** Import edges between files, by position in the list of paths. */
export interface ImportGraph {
  imports: number[][];
  importedBy: number[][];
}

/** Longer specifiers are ignored. */
const MAX_SPECIFIER = 200;

/** Endings that an import omits or spells differently. */
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

/** Resolves the specifiers of each file to files of the list. Specifiers that lead elsewhere are left out. */
export function buildImportGraph(
  paths: string[],
  specifiers: string[][],
  names: readonly ModuleName[] = [],
): ImportGraph {
  const positions = new Map(paths.map((path, position) => [path, position]));
  const bySuffix = indexBySuffix(paths);
  const named = createNameResolver(names, positions);
  const imports = specifiers.map((names, from) => {
    const targets = new Set<number>();
    for (const name of names) {
      const target = resolveSpecifier(paths[from] ?? "", name, { positions, bySuffix, named });
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
  named: (from: string, specifier: string) => number | undefined;
}

/** Resolves by the names in manifests: exact names first, then the longest before a `*`, then the nearest scope. */
function createNameResolver(
  names: readonly ModuleName[],
  positions: Map<string, number>,
): (from: string, specifier: string) => number | undefined {
  const byStart = new Map<string, (ModuleName & { end?: string | undefined })[]>();
  for (const each of names) {
    const [start = "", end] = each.name.split("*");
    const group = byStart.get(start);
    if (group === undefined) byStart.set(start, [{ ...each, end }]);
    else group.push({ ...each, end });
  }
  const known = new Map<string, { scope: string; position: number }[]>();
  const matchesOf = (specifier: string): { scope: string; position: number }[] => {
    const found: { scope: string; position: number }[] = [];
    for (let length = Math.min(specifier.length, MAX_SPECIFIER); length >= 0; length -= 1) {
      const group = (byStart.get(specifier.slice(0, length)) ?? []).flatMap((each) => {
        const { scope, targets, end } = each;
        const isExact = end === undefined;
        if (isExact ? length < specifier.length : !specifier.endsWith(end)) return [];
        const rest = specifier.slice(length, specifier.length - (end ?? "").length);
        for (const target of targets) {
          const position = lookUp(
            target.replace("*", () => rest),
            positions,
          );
          if (position !== undefined) return [{ scope, isExact, position }];
        }
        return [];
      });
      group.sort(
        (a, b) => Number(b.isExact) - Number(a.isExact) || b.scope.length - a.scope.length,
      );
      found.push(...group);
    }
    return found;
  };
  return (from, specifier) => {
    let matches = known.get(specifier);
    if (matches === undefined) known.set(specifier, (matches = matchesOf(specifier)));
    return matches.find(({ scope }) => scope === "" || from.startsWith(`${scope}/`))?.position;
  };
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
  const named = index.named(from, specifier);
  if (named !== undefined) return named;
  const path = specifier.replace(/^crate::/, "").replaceAll("::", "/");
  const dotted = /\.(?:py|java)$/.test(from) ? path.replaceAll(".", "/") : path;
  return (
    index.bySuffix.get(dotted.replace(/^[@~]\//, "")) ?? index.bySuffix.get(posix.dirname(dotted))
  );
}

function lookUp(base: string, positions: Map<string, number>): number | undefined {
  const stem = base.replace(/\.d\.[mc]?ts$|\.[mc]?jsx?$/, "");
  for (const ending of ENDINGS) {
    const found = positions.get(base + ending) ?? positions.get(stem + ending);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Paths without their extension, by their last 1 to 4 segments. Ambiguous ones are left out. */
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
