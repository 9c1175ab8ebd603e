import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join, posix, relative, sep } from "node:path";
import type { Ignore, PatternParams } from "ignore";
import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Decides what to ignore in a folder. As in git, patterns in deeper folders and later files take precedence. */
export interface IgnoreRules {
  /**
   * Returns the rule that ignores a path, such as `src/.gitignore: *.log`. Returns an empty string
   * for one of the caller's patterns, and undefined if the path is not ignored. `path` is relative
   * to the scanned root and uses forward slashes. None of its parents may be ignored.
   */
  ruleFor(path: string, isDirectory: boolean): string | undefined;
  /** Returns the rules for a subfolder, adding any ignore files listed in `names`. */
  enter(directory: string, names: ReadonlySet<string>): IgnoreRules;
}

/**
 * These also use git's syntax, and override `.gitignore`. `.ignore` is for search tools, and
 * `.cclignore` lists files that packs must not contain.
 */
const OTHER_IGNORE_FILES = [".ignore", ".cclignore"];

/**
 * Files without useful content (lock files, minified files, source maps) and files with secrets. An
 * ignore file can include them again.
 */
const NOISE = (
  ".env .env.* !.env.example !.env.sample !.env.template package-lock.json " +
  "npm-shrinkwrap.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb deno.lock Cargo.lock " +
  "composer.lock Gemfile.lock poetry.lock Pipfile.lock uv.lock pdm.lock go.sum flake.lock " +
  "gradle.lockfile packages.lock.json mix.lock pubspec.lock Podfile.lock *.min.js *.min.css " +
  "*.min.mjs *.js.map *.mjs.map *.cjs.map *.css.map *.d.ts.map .DS_Store Thumbs.db " +
  "__pycache__/ *.pyc *.tsbuildinfo"
).split(" ");

/**
 * Returns the rules at a root: .git/info/exclude and the ignore files from the repository's top
 * folder down to the root. The caller's own patterns (relative to the root) override all others.
 */
export async function rootIgnoreRules(
  root: string,
  ownPatterns: readonly string[],
): Promise<IgnoreRules> {
  const { default: ignore } = await import("ignore");
  // Always case-sensitive, so that a tree has the same names on every system.
  const create = (): Ignore => ignore({ ignoreCase: false });
  const own = create().add([...ownPatterns]);
  const noise = create().add(
    NOISE.map((pattern) => ({ pattern, mark: `left out by default: ${pattern}` })),
  );
  const bare = { create, all: noise, ofTracked: noise };
  const top = repositoryTop(root);
  const inherited = top === undefined ? undefined : ancestorRules(root, top, bare);
  const tracked = top === undefined ? new Set<string>() : await trackedIgnoredPaths(root);
  return folderRules({ root, own, tracked, ...(inherited ?? { rules: bare, base: "" }) });
}

/** Two sets of rules: from all ignore files, and from all except .gitignore for files tracked by git. */
interface RuleSets {
  create: () => Ignore;
  all: Ignore;
  ofTracked: Ignore;
}

/** Adds the ignore files of the folder at `path`. `folder` is its path within the repository. */
function withFolder({ create, all, ofTracked }: RuleSets, path: string, folder: string): RuleSets {
  const gitPatterns = readPatterns(join(path, ".gitignore"), folder);
  const others = OTHER_IGNORE_FILES.flatMap((name) => readPatterns(join(path, name), folder));
  return {
    create,
    all: create().add(all).add(gitPatterns).add(others),
    ofTracked: create().add(ofTracked).add(others),
  };
}

interface FolderRules {
  root: string;
  own: Ignore;
  /** Files that git tracks although a rule ignores them, and their folders. Relative to the root. */
  tracked: ReadonlySet<string>;
  /**
   * Rules for paths that start with `base`, the path from the repository's top to the root, with a
   * trailing slash.
   */
  rules: RuleSets;
  base: string;
}

function folderRules(state: FolderRules): IgnoreRules {
  const { root, own, tracked, rules, base } = state;
  return {
    ruleFor(path, isDirectory) {
      const subject = isDirectory ? `${path}/` : path;
      const mine = own.test(subject);
      if (mine.ignored || mine.unignored) return mine.ignored ? "" : undefined;
      const applied = tracked.has(subject) ? rules.ofTracked : rules.all;
      return applied.test(base + subject).rule?.mark;
    },
    enter(directory, names) {
      if (![".gitignore", ...OTHER_IGNORE_FILES].some((name) => names.has(name))) return this;
      return folderRules({
        ...state,
        rules: withFolder(rules, join(root, directory), base + directory),
      });
    },
  };
}

/**
 * Returns the rules inherited from the repository. If the repository ignores the whole root,
 * returns undefined, and the root inherits no rules.
 */
function ancestorRules(
  root: string,
  top: string,
  bare: RuleSets,
): { rules: RuleSets; base: string } | undefined {
  const excluded = readPatterns(join(top, ".git", "info", "exclude"), "");
  let rules = { ...bare, all: bare.create().add(bare.all).add(excluded) };
  const base = relative(top, root).split(sep).join("/");
  if (base === "") return { rules, base };
  let folder = "";
  for (const name of base.split("/")) {
    rules = withFolder(rules, join(top, folder), folder);
    folder = folder === "" ? name : `${folder}/${name}`;
    if (rules.all.ignores(`${folder}/`)) return undefined;
  }
  return { rules, base: `${base}/` };
}

function repositoryTop(root: string): string | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    if (statSync(join(folder, ".git"), { throwIfNoEntry: false }) !== undefined) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** Reads the patterns of an ignore file, anchored at its folder. Returns an empty list if the file does not exist. */
function readPatterns(file: string, folder: string): PatternParams[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return [];
  }
  return text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => ({
      pattern: anchorPattern(line, folder),
      mark: `${posix.join(folder, basename(file))}: ${line}`,
    }));
}

/** Converts a pattern in a folder's ignore file to an equivalent pattern for the top folder. */
function anchorPattern(pattern: string, folder: string): string {
  if (folder === "") return pattern;
  const isNegative = pattern.startsWith("!");
  const body = pattern.slice(isNegative ? 1 : 0).replace(/^\\(?=[#!])/, "");
  const isAnchored = /\/(?=\S)/.test(body);
  const place = folder.replace(/\/$/, "").replace(/[\\*?[\]!# ]/g, String.raw`\$&`);
  return `${isNegative ? "!" : ""}/${place}/${isAnchored ? body.replace(/^\//, "") : `**/${body}`}`;
}

const LIST = ["-c", "core.fsmonitor=false", "ls-files", "-z", "-c", "-i", "--exclude-standard"];

/**
 * Returns the files below the root that git tracks although an ignore file lists them, and their
 * folders with a trailing slash. Returns an empty set if git cannot be run.
 */
async function trackedIgnoredPaths(root: string): Promise<Set<string>> {
  const options = { maxBuffer: Number.POSITIVE_INFINITY, windowsHide: true };
  const git = promisify(execFile)("git", ["-C", root, ...LIST], options);
  const { stdout } = await git.catch(() => ({ stdout: "" }));
  const paths = new Set<string>();
  for (const path of stdout.split("\0").filter(Boolean)) {
    paths.add(path);
    for (const { index } of path.matchAll(/\//g)) paths.add(path.slice(0, index + 1));
  }
  return paths;
}
