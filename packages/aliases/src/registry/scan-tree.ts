import { compareCodeUnits } from "@ccl/core";
import { callListener } from "@ccl/core/events";
import { basename, posix } from "node:path";
import type { AliasCheck, ScanReport, ScanRules } from "./alias-registry.ts";
import { nameFiles, type UnnamedFile } from "./alias-from-path.ts";
import { aliasKey } from "./alias-name.ts";
import { readBytes } from "./file-hasher.ts";
import { walkTree, type FileTree } from "./file-tree.ts";
import { rawSha8 } from "./hash-content.ts";
import { locateFile, type NoFile, type TreeFile } from "./locate-file.ts";
import { changeRecord, type RegistryRecord } from "./registry-file.ts";
import { OWN_DIRECTORY, type RegistryRecords } from "./registry-store.ts";
import type { FileHasher } from "./cached-file-hasher.ts";
import type { Pacer } from "./pacer.ts";

/** The tree, and the records to check against it. */
export interface TreeContext {
  /** Absolute path, with links resolved. */
  root: string;
  /** Relative to the root. Uses forward slashes. */
  registryDirectory: string;
  records: RegistryRecords;
  hash: FileHasher;
  pacer: Pacer;
}

/** The records after a scan, its report, and the earlier records compared with the disk. */
interface ScanOutcome {
  records: Map<string, RegistryRecord>;
  checks: AliasCheck[];
  report: Omit<ScanReport, "entries">;
}

interface HashedFile extends TreeFile {
  sha256: string;
}

/**
 * Updates the records to match the tree, and names any unnamed files.
 * @throws AliasesError `aborted`
 */
export async function scanTree(context: TreeContext, rules: ScanRules): Promise<ScanOutcome> {
  const tree = await walkTree({ ...context, rules });
  const named = new Set([...context.records.values()].map(({ path }) => path));
  callListener(rules.onEvent, { type: "files_found", done: tree.files.length });
  const files = await hashTree(context, tree, named);
  callListener(rules.onEvent, { type: "files_hashed", done: files.length, total: files.length });

  const compared = await compareAll(context, files, tree.skipped);
  const missing = compared.filter(({ status }) => status === "missing");
  const unnamed = files.filter(({ path }) => !named.has(path));
  const moves = matchMoves(missing, unnamed);

  const records = new Map<string, RegistryRecord>();
  const checks: AliasCheck[] = [];
  const report: ScanOutcome["report"] = {
    added: [],
    updated: [],
    moved: [],
    removed: [],
    skipped: tree.skipped,
  };
  for (const { alias, record, status, sha256 } of compared) {
    const { path, sha8 } = record;
    const target = moves.get(alias);
    if (target !== undefined) {
      report.moved.push(alias);
      checks.push({ alias, path, sha8, status: "moved", movedTo: target.path });
      records.set(alias, changeRecord(record, target));
    } else if (status === "changed" && sha256 !== undefined) {
      report.updated.push(alias);
      checks.push({ alias, path, sha8, status, currentSha8: sha256.slice(0, 8) });
      records.set(alias, changeRecord(record, { path, sha256 }));
    } else {
      checks.push({ alias, path, sha8, status: status === "ok" ? "ok" : "missing" });
      if (status === "missing") report.removed.push(alias);
      else records.set(alias, record);
    }
  }
  const movedTo = new Set(moves.values());
  const fresh = unnamed.filter((file) => !movedTo.has(file));
  report.added = addNames(fresh, records);
  return { records, checks, report };
}

/** Hashes the files in tree order. Skips and reports binary files without an alias. */
async function hashTree(
  context: TreeContext,
  tree: FileTree,
  named: ReadonlySet<string>,
): Promise<HashedFile[]> {
  const files: HashedFile[] = [];
  for (const file of tree.files) {
    try {
      const { sha256, isBinary } = context.hash(file);
      if (isBinary && !named.has(file.path))
        tree.skipped.push({ path: file.path, reason: "binary" });
      else files.push({ ...file, sha256 });
    } catch {
      tree.skipped.push({ path: file.path, reason: "unreadable" });
    }
    await context.pacer.step(files.length, tree.files.length);
  }
  tree.skipped.sort((a, b) => compareCodeUnits(a.path, b.path));
  return files;
}

/** A record compared with the file at its path. */
interface ComparedRecord {
  alias: string;
  record: RegistryRecord;
  /** `unreachable` if the file cannot be read or is outside the root. */
  status: "ok" | "changed" | "missing" | "unreachable";
  /** The hash of the current content. */
  sha256?: string | undefined;
}

/**
 * Compares all records with the disk, ordered by alias. Looks up files outside the tree
 * individually. A file excluded by an ignore file counts as missing, unless it was named by `add`
 * or the names belong to another program.
 */
async function compareAll(
  { records, root, registryDirectory, hash, pacer }: TreeContext,
  files: readonly HashedFile[],
  skipped: ScanReport["skipped"],
): Promise<ComparedRecord[]> {
  const isOwn = basename(registryDirectory) === OWN_DIRECTORY;
  const ignored = skipped.filter(({ reason }) => isOwn && reason === "ignored");
  const isIgnored = (path: string): boolean =>
    ignored.some((left) => `${path}/`.startsWith(left.path.replace(/\/?$/, "/")));
  const byPath = new Map(files.map((file) => [file.path, file]));
  const hashOf = (file: TreeFile): string => byPath.get(file.path)?.sha256 ?? hash(file).sha256;
  const sorted = [...records].sort(([a], [b]) => compareCodeUnits(a, b));
  const compared: ComparedRecord[] = [];
  for (const [alias, record] of sorted) {
    const { path, fields } = record;
    const isGone = fields["added"] !== true && !byPath.has(path) && isIgnored(path);
    const file = byPath.get(path) ?? (isGone ? "missing" : locateFile(root, path));
    compared.push({ alias, record, ...compareRecord(record, file, hashOf) });
    await pacer.step(files.length, files.length);
  }
  return compared;
}

/** Compares a record with the file at its path, if any. */
function compareRecord(
  record: RegistryRecord,
  file: TreeFile | NoFile,
  hashOf: (file: TreeFile) => string,
): Pick<ComparedRecord, "status" | "sha256"> {
  if (file === "missing" || file === "not_a_file") return { status: "missing" };
  if (typeof file === "string") return { status: "unreachable" };
  try {
    const sha256 = hashOf(file);
    return { status: isRecorded(record, sha256, file) ? "ok" : "changed", sha256 };
  } catch {
    return { status: "unreachable" };
  }
}

/** True if the record describes this content. Its 8 digits may come from the bytes with CRLF. */
function isRecorded(record: RegistryRecord, sha256: string, file: TreeFile): boolean {
  if (record.sha256 !== undefined) return record.sha256 === sha256;
  return sha256.startsWith(record.sha8) || rawSha8(readBytes(file.realPath)) === record.sha8;
}

/** Adds a record for each file. Returns the new aliases in order. */
function addNames(files: HashedFile[], records: Map<string, RegistryRecord>): string[] {
  const unnamed: UnnamedFile[] = files.map(({ path }) => ({ path, prefix: classifyPath(path) }));
  const names = nameFiles(
    unnamed,
    [...records.keys()].map((alias) => aliasKey(alias)),
  );
  const added: string[] = [];
  for (const file of files) {
    const alias = names.get(file.path);
    if (alias === undefined) continue;
    records.set(alias, changeRecord(undefined, file));
    added.push(alias);
  }
  return added.sort(compareCodeUnits);
}

/** A file without an alias. */
interface MoveTarget {
  path: string;
  sha256: string;
}

const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/**
 * Matches missing records with unnamed files that have the same content, preferring the same file
 * name. Never matches empty files. Ties are resolved by the order of both lists.
 */
function matchMoves<T extends MoveTarget>(
  missing: readonly { alias: string; record: RegistryRecord }[],
  targets: readonly T[],
): Map<string, T> {
  const moves = new Map<string, T>();
  const free = new Map<string, Set<T>>();
  for (const target of targets) {
    const sha8 = target.sha256.slice(0, 8);
    if (target.sha256 !== EMPTY_SHA256) free.set(sha8, (free.get(sha8) ?? new Set()).add(target));
  }
  for (const isSameName of [true, false])
    for (const { alias, record } of missing) {
      const { path, sha8, sha256 = sha8 } = record;
      const alike = free.get(sha8) ?? new Set();
      const target = [...alike].find(
        (other) =>
          other.sha256.startsWith(sha256) &&
          (!isSameName || posix.basename(other.path) === posix.basename(path)),
      );
      if (target === undefined || moves.has(alias)) continue;
      moves.set(alias, target);
      alike.delete(target);
    }
  return moves;
}

/**
 * Prefixes that a scan assigns: the seven in the design document, plus C for configuration and R
 * for other data.
 */
type BuiltInPrefix = "A" | "C" | "D" | "H" | "P" | "PR" | "R" | "S" | "T";

const TEXT = String.raw`\.(?:md|mdx|markdown|rst|txt|adoc|asciidoc)$`;
const CONFIGURATION_DATA = String.raw`\.(?:ya?ml|json|jsonc|json5|toml|ini)$`;
const CODE_EXTENSIONS =
  "[cm]?[jt]sx? py pyi pyw go rs java kts? scala groovy clj[cs]? c h cc cpp cxx hh hpp hxx m mm cs fs fsx vb swift rb php pl " +
  "pm lua r jl dart ex exs erl hrl hs elm mli? nim zig v sol sh bash zsh fish ps1 bat cmd vue svelte astro css scss sass less " +
  "html? hbs ejs liquid jinja2? tmpl ipynb gradle cmake tf nix asm s wat";
const CONFIGURATION_NAMES =
  "package composer deno lerna turbo nx vercel renovate biome manifest angular app project [^./]*tsconfig[^/]* " +
  "jsconfig[^/]* [^/]*config [^/]*settings";
const CONFIGURATION_FILES =
  String.raw`dockerfile[^/]* makefile justfile procfile jenkinsfile vagrantfile brewfile gemfile go\.mod go\.work pom\.xml ` +
  String.raw`requirements[^/]*\.txt cmakelists\.txt \.[^/]* [^/]*\.(?:toml|ini|cfg|conf|properties|env|ya?ml)`;

const oneOf = (words: string): string => `(?:${words.replaceAll(" ", "|")})`;

/** The first match wins. Patterns that start with `^|/` match the last segment or folders. */
const RULES: readonly (readonly [prefix: BuiltInPrefix, pattern: RegExp])[] = [
  [
    "A",
    new RegExp(
      String.raw`(?:^|\/)(?:adr[-_ ]?\d[^/]*|(?:adrs?|(?:architecture-)?decisions|decision-records)\/.+)${TEXT}`,
      "i",
    ),
  ],
  ["T", /(?:^|\/)(?:tests?|__tests__|specs?|e2e|__mocks__|__fixtures__|fixtures|testdata)\//i],
  [
    "T",
    /\.(?:test|spec|test-d|e2e|cy)\.[a-z]+$|(?:^|\/)(?:test_[^/]*|conftest)\.py$|_spec\.rb$|_test\.(?:go|py|rb|exs?|dart|cc|cpp)$|[a-z0-9]Tests?\.(?:java|kt|cs|scala|swift|groovy)$/,
  ],
  ["P", /(?:^|\/)(?:prep\/.+|options\.json|scorecard\.json)$/i],
  [
    "S",
    /[.-]schema\.(?:json|ya?ml)$|(?:^|\/)(?:openapi|swagger|asyncapi)[^/]*\.(?:json|ya?ml)$|(?:^|\/)(?:json-?)?schemas?\/.+\.(?:json|ya?ml|jsonc)$/i,
  ],
  ["S", /\.(?:proto|graphqls?|gql|avsc|avdl|xsd|rng|thrift|fbs|capnp|prisma|sql|ddl|cue|jtd)$/i],
  ["PR", new RegExp(String.raw`(?:^|\/)profiles?\/.+${CONFIGURATION_DATA}`, "i")],
  ["C", /\.config\.[cm]?[jt]s$|(?:^|\/)\.[^/]+rc\.[cm]?[jt]s$/i],
  ["H", new RegExp(String.raw`\.${oneOf(CODE_EXTENSIONS)}$`, "i")],
  ["C", new RegExp(String.raw`(?:^|\/)${oneOf(CONFIGURATION_FILES)}$`, "i")],
  ["C", new RegExp(String.raw`(?:^|\/)${oneOf(CONFIGURATION_NAMES)}\.(?:json|jsonc|json5)$`, "i")],
  ["D", new RegExp(String.raw`${TEXT}|\.(?:org|tex)$`, "i")],
  [
    "D",
    /(?:^|\/)(?:license|licence|notice|copying|readme|changelog|authors|contributing|codeowners)$/i,
  ],
];

/** Returns the alias prefix for a path with forward slashes, based on its folders, name and extension. */
export function classifyPath(path: string): BuiltInPrefix {
  return RULES.find(([, pattern]) => pattern.test(path))?.[0] ?? "R";
}
