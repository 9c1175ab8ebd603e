import type { Issue, Result, ToolDefinition } from "@ccl/core";

/** One named file. */
export interface AliasEntry {
  /** Prefix, dot, name: `H.main`. */
  alias: string;
  /** Relative to the root, with forward slashes. */
  path: string;
  /** First 8 hex digits of `sha256`. */
  sha8: string;
  /**
   * Hash of the content with CRLF as LF. A binary file is hashed unchanged. Absent if an AdaOS file
   * has only the 8 digits.
   */
  sha256?: string | undefined;
}

/** A named file in its current state on disk. */
export interface AliasContent {
  alias: string;
  path: string;
  /** Hash of the content on disk, not of the registry's record. */
  sha8: string;
  sha256: string;
  /** With the line ends of the file. Undefined for a binary file. */
  text: string | undefined;
  /** `utf-16le`, `utf-16be` or `latin1` if the bytes are not UTF-8. `latin1` is a guess. */
  encoding?: string | undefined;
  sizeBytes: number;
}

/** The current content hash of a named file, without its content. */
export interface AliasStat {
  alias: string;
  path: string;
  /** Absent if the file cannot be read. */
  sha256?: string | undefined;
  isBinary: boolean;
}

/**
 * The state of an entry compared with the disk. `moved` means that the same content is now at
 * `movedTo`.
 */
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

/** The result of `verify`. `isClean` is true if every check is `ok`. */
export interface VerifyReport {
  checks: AliasCheck[];
  isClean: boolean;
}

/** Which files to name, and how. */
export interface ScanRules {
  /** Globs relative to the root. All files by default. */
  include?: string[] | undefined;
  /** Patterns in .gitignore syntax, in addition to the tree's .gitignore, .ignore and .cclignore files. */
  ignore?: string[] | undefined;
  signal?: AbortSignal | undefined;
  onEvent?: ((event: ScanEvent) => void) | undefined;
}

/** Progress of a scan, reported up to some ten times a second. */
export interface ScanEvent {
  type: "files_found" | "files_hashed";
  done: number;
  /** Absent until the whole tree has been walked. */
  total?: number | undefined;
}

/** The result of a scan. */
export interface ScanReport {
  entries: AliasEntry[];
  added: string[];
  /** Aliases whose content differs from the registry's record. */
  updated: string[];
  /** Aliases whose file was found with the same content at a new path. */
  moved: string[];
  /** Aliases that were dropped because their file is gone. */
  removed: string[];
  /**
   * Files and folders that were found but not named. A folder ends with a slash. Paths that
   * `include` and `ignore` exclude are not listed.
   */
  skipped: SkippedFile[];
}

/** A file or a folder without a name. */
interface SkippedFile {
  path: string;
  reason: "too_large" | "binary" | "unreadable" | "outside_root" | "ignored";
  /** For `ignored`, the rule: `src/.gitignore: *.log`. */
  rule?: string | undefined;
}

/**
 * Values derived from file contents, keyed by content hash. They are stored on disk only if the
 * registry is.
 */
export interface DerivedCache {
  /** `kind` names the derivation with its version. */
  get(kind: string, sha256: string): string | undefined;
  set(kind: string, sha256: string, value: string): void;
  /** Writes new values to disk if the registry persists. */
  flush(): Promise<void>;
}

/** Options of `openAliasRegistry`. */
export interface OpenAliasRegistryOptions {
  /** The project's root folder. No path may leave it. */
  root: string;
  /** Relative to the root. `.ccl` by default. Use `.ado` for an AdaOS folder. */
  directory?: string | undefined;
  /** If false, everything stays in memory and nothing is written. True by default. */
  persist?: boolean | undefined;
}

/** The names of a project's files. */
export interface AliasRegistry {
  /** Absolute, with links resolved. */
  readonly root: string;
  readonly directory: string;
  readonly isPersistent: boolean;
  readonly cache: DerivedCache;
  /**
   * Names a file, or changes what an alias names. Issues: alias_invalid, alias_taken (ignores case), path_outside_root,
   * path_not_found, path_not_a_file, path_unreadable.
   */
  add(
    alias: string,
    path: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<Result<AliasEntry>>;
  /** True if the alias existed. */
  remove(alias: string): Promise<boolean>;
  /** Returns all entries, ordered by alias in code units. */
  list(): AliasEntry[];
  /**
   * Reads the current file of `alias` or `alias@sha8`. Issues: alias_invalid, alias_unknown (with the nearest names),
   * alias_stale (with the current sha8), path_not_found, path_outside_root, path_not_a_file, path_unreadable,
   * file_too_large (beyond 64 MiB).
   */
  resolve(
    alias: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<Result<AliasContent>>;
  /**
   * The current state of all files, ordered by alias. A file is read unless its times and size
   * prove that it is unchanged.
   */
  stat(options?: { signal?: AbortSignal | undefined }): Promise<AliasStat[]>;
  verify(options?: { signal?: AbortSignal | undefined }): Promise<VerifyReport>;
  /** Names every file that is not ignored. Existing names are kept. */
  scan(rules?: ScanRules): Promise<ScanReport>;
  /** Waits for pending changes and writes the caches. */
  close(): Promise<void>;
}

/** The arguments that a model passes to `get_alias`. */
export interface GetAliasInput {
  /**
   * `H.main`, `H.main@9f8e7d6c`, a path, a unique end of a path, or `path#name` for a declaration. A list may have up
   * to 10 of them, which share the limits of one answer. Absent with `search`.
   */
  alias?: string | readonly string[] | undefined;
  /** Words to search for. Returns the best places of the best 5 files. */
  search?: string | undefined;
  sha8?: string | undefined;
  /** 1-based and inclusive: "10-40", "10-", "7". */
  lines?: string | undefined;
}

/** The unchanged text of a file or a part of it. */
export interface GetAliasOutput {
  alias: string;
  path: string;
  sha8: string;
  text: string;
  /** 1-based, inclusive. */
  firstLine: number;
  lastLine: number;
  totalLines: number;
  /** What to request next. Present if the answer was cut. */
  next?: { lines: string } | undefined;
  /** The other results of a list or a search, in order. */
  others?: GetAliasOutput[] | undefined;
  /** The refused items of a list, if others of it were found. */
  issues?: Issue[] | undefined;
}

/** The tool that `createGetAliasTool` returns. */
export type GetAliasTool = ToolDefinition<GetAliasInput, Result<GetAliasOutput>>;
