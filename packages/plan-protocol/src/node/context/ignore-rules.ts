import { createPathMatcher } from "@ccl/core/glob";

/** A file with more lines is not treated as a list of patterns. */
const MAX_RULES = 5_000;

/** A line of a `.gitignore`. */
interface IgnoreRule {
  /** True if it starts with `!` and re-includes what an earlier line excluded. */
  isNegated: boolean;
  isForFoldersOnly: boolean;
  fits(path: string, name: string): boolean;
}

/** One folder's rules, which apply to everything below it. */
export interface IgnoreLayer {
  /** Relative to the root. `""` is the root. */
  folder: string;
  rules: readonly IgnoreRule[];
}

/** Parses a `.gitignore` as git does. An invalid line excludes nothing. */
export function readIgnoreRules(text: string): IgnoreRule[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/, MAX_RULES);
  return lines.map(readRule).filter((rule) => rule !== undefined);
}

/**
 * Returns whether git ignores a path, given that its folder is not ignored. The last matching rule of the deepest
 * folder wins.
 */
export function isIgnored(
  layers: readonly IgnoreLayer[],
  { path, name, isFolder }: { path: string; name: string; isFolder: boolean },
): boolean {
  for (const { folder, rules } of layers.toReversed()) {
    const below = folder === "" ? path : path.slice(folder.length + 1);
    const rule = rules.findLast((it) => (isFolder || !it.isForFoldersOnly) && it.fits(below, name));
    if (rule !== undefined) return !rule.isNegated;
  }
  return false;
}

function readRule(line: string): IgnoreRule | undefined {
  // A trailing space counts only if escaped.
  const text = line.replace(/(?<!\\)[ \t]+$/, "");
  if (text === "" || text.startsWith("#")) return undefined;
  const isNegated = text.startsWith("!");
  const pattern = isNegated ? text.slice(1) : text;
  const isForFoldersOnly = pattern.endsWith("/");
  const body = isForFoldersOnly ? pattern.slice(0, -1) : pattern;
  if (body === "") return undefined;
  return { isNegated, isForFoldersOnly, fits: matcherOf(body) };
}

function matcherOf(body: string): IgnoreRule["fits"] {
  // Fast path: a typical line is a plain name or an extension, and every rule is tried on every file.
  if (/^[^/*?[\\]+$/.test(body)) return (_path, name) => name === body;
  const ending = /^\*([^/*?[\\]+)$/.exec(body)?.[1];
  if (ending !== undefined) return (_path, name) => name.endsWith(ending);
  const isAnchored = body.includes("/");
  const parts = body.replace(/^\//, "").split("/");
  // Matches the folder's contents but not the folder itself.
  if (parts.at(-1) === "**") parts.push("*");
  const pattern = (isAnchored ? parts : ["**", ...parts]).join("/");
  const fits = createPathMatcher(pattern, { hasEscapes: true });
  return (path) => fits?.(path) === true;
}
