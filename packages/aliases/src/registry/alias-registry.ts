import type { Issue, Result, ToolDefinition } from "@ccl/core";

/** One named file. */
export interface AliasEntry {
  /** Prefix, dot, name: `H.main`. */
  alias: string;
  /** Relative to the root, with forward slashes. */
  path: string;
  /** First 8 hex digits of `sha256`. */
  sha8: string;
  /** Of the content with CRLF as LF (binary files: of the bytes as they are). Absent where only an AdaOS file's 8 digits are known. */
  sha256?: string | undefined;
}

/** A named file as it is on disk now. */
export interface AliasContent {
  alias: string;
  path: string;
  /** Of the content on disk, not of the registry's record. */
  sha8: string;
  sha256: string;
  /** With LF line ends; undefined for a binary file. */
  text: string | undefined;
  /** `utf-16le`, `utf-16be` or `latin1` where the bytes are not UTF-8; the last is a guess. */
  encoding?: string | undefined;
  sizeBytes: number;
}

/** Which content a named file has now, without the content. */
export interface AliasStat {
  alias: string;
  path: string;
  /** Absent when the file cannot be read. */
  sha256?: string | undefined;
  isBinary: boolean;
}

/** How an entry compares with the disk. `moved`: the same content now stands at `movedTo`. */
export interface AliasCheck {
  alias: string;
  path: string;
  status: "ok" | "changed" | "missing" | "moved";
  sha8: string;
  /** Present for `changed`. */
  currentSha8?: string | undefined;
  /** Present for `moved`. */
  movedTo?: string | undefined;
}

/** What `verify` found; `isClean` when every check is `ok`. */
export interface VerifyReport {
  checks: AliasCheck[];
  isClean: boolean;
}

/** What to name, and how. */
export interface ScanRules {
  /** Globs relative to the root; absent means everything. */
  include?: string[] | undefined;
  /** Patterns in .gitignore syntax, on top of the tree's own .gitignore, .ignore and .cclignore files. */
  ignore?: string[] | undefined;
  /** First match wins, before the built-in rules. */
  prefixes?: { prefix: string; match: string }[] | undefined;
  /** Larger files are left out and reported. Default 1 MiB. */
  maxFileBytes?: number | undefined;
  signal?: AbortSignal | undefined;
  onEvent?: ((event: ScanEvent) => void) | undefined;
}

/** Progress of a scan, at most some ten times a second. */
export interface ScanEvent {
  type: "files_found" | "files_hashed";
  done: number;
  /** Absent while the tree is still being walked. */
  total?: number | undefined;
}

/** What a scan did. */
export interface ScanReport {
  entries: AliasEntry[];
  added: string[];
  /** Aliases whose content changed since the registry's record. */
  updated: string[];
  /** Aliases whose file was found again, with the same content, under a new path. */
  moved: string[];
  /** Aliases whose file is gone; they are dropped. */
  removed: string[];
  skipped: { path: string; reason: "too_large" | "binary" | "unreadable" | "outside_root" }[];
}

/** Values derived from contents, kept by content hash; on disk only where the registry is. */
export interface DerivedCache {
  /** `kind` names the derivation and its version. */
  get(kind: string, sha256: string): string | undefined;
  set(kind: string, sha256: string, value: string): void;
  /** Writes what is new, if this registry writes at all. */
  flush(): Promise<void>;
}

/** Options of `openAliasRegistry`. */
export interface OpenAliasRegistryOptions {
  /** The project's root folder; no path leaves it. */
  root: string;
  /** Relative to the root. Default `.ccl`; `.ado` works on an AdaOS folder. */
  directory?: string | undefined;
  /** False keeps everything in memory and never writes. Default true. */
  persist?: boolean | undefined;
}

/** The names of a project's files. */
export interface AliasRegistry {
  /** Absolute, links resolved. */
  readonly root: string;
  readonly directory: string;
  readonly isPersistent: boolean;
  readonly cache: DerivedCache;
  /** Names a file, or names it anew. Issues: alias_invalid, alias_taken (case does not count), path_outside_root, path_not_found, path_not_a_file, path_unreadable. */
  add(
    alias: string,
    path: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<Result<AliasEntry>>;
  /** True if there was such an alias. */
  remove(alias: string): Promise<boolean>;
  /** Ordered by alias, in code units. */
  list(): AliasEntry[];
  /** The file as it is now; takes `alias` or `alias@sha8`. Issues: alias_invalid, alias_unknown (with the nearest names), alias_stale (with the current sha8), path_not_found, path_outside_root, path_not_a_file, path_unreadable, file_too_large (beyond 64 MiB). */
  resolve(
    alias: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<Result<AliasContent>>;
  /** The files as they are now, ordered by alias; one is read only where its times and size do not show that it is unchanged. */
  stat(options?: { signal?: AbortSignal | undefined }): Promise<AliasStat[]>;
  verify(options?: { signal?: AbortSignal | undefined }): Promise<VerifyReport>;
  /** Names every file that is not ignored; names that exist stay. */
  scan(rules?: ScanRules): Promise<ScanReport>;
  /** Waits for what was begun and writes the caches. */
  close(): Promise<void>;
}

/** What a model passes to `get_alias`. */
export interface GetAliasInput {
  /**
   * `H.main`, `H.main@9f8e7d6c`, a path, the end of a path that no other has, or `path#name` for a declaration; up to
   * 10 of them as a list, which share the bounds of one answer. Left out with `search`.
   */
  alias?: string | readonly string[] | undefined;
  /** Words; the best places of the best 5 files come back. */
  search?: string | undefined;
  sha8?: string | undefined;
  /** 1-based and inclusive: "10-40", "10-", "7". */
  lines?: string | undefined;
}

/** A file or a part of it, in its own words. */
export interface GetAliasOutput {
  alias: string;
  path: string;
  sha8: string;
  text: string;
  /** 1-based, inclusive. */
  firstLine: number;
  lastLine: number;
  totalLines: number;
  /** Present when the answer was cut at the size bound: what to ask for next. */
  next?: { lines: string } | undefined;
  /** What else a list or a search gives, in its order. */
  others?: GetAliasOutput[] | undefined;
  /** Of a list, what was refused while others were found. */
  issues?: Issue[] | undefined;
}

/** The tool that `createGetAliasTool` makes. */
export type GetAliasTool = ToolDefinition<GetAliasInput, Result<GetAliasOutput>>;
