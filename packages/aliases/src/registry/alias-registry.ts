import type { Issue, Result, ToolDefinition } from "@ccl/core";

/** A named file. */
export interface AliasEntry {
  /** A prefix, a dot and a name: `H.main`. */
  alias: string;
  /** Relative to the root. Uses forward slashes. */
  path: string;
  /** First 8 hex digits of `sha256`. */
  sha8: string;
  /**
   * Hash of the content with CRLF replaced by LF. Binary files are hashed unchanged. Absent if an
   * AdaOS file has only the 8 digits.
   */
  sha256?: string | undefined;
}

/** The current state of a named file on disk. */
export interface AliasContent {
  alias: string;
  path: string;
  /** Hash of the content on disk, not the hash in the registry. */
  sha8: string;
  sha256: string;
  /** The text with the file's own line endings. Undefined for a binary file. */
  text: string | undefined;
  /** `utf-16le`, `utf-16be` or `latin1` if the bytes are not UTF-8. `latin1` is a guess. */
  encoding?: string | undefined;
  sizeBytes: number;
}

/** Hash of a named file's current content, without the content itself. */
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
  /** Present if the status is `changed`. */
  currentSha8?: string | undefined;
  /** Present if the status is `moved`. */
  movedTo?: string | undefined;
}

/** The result of `verify`. `isClean` is true if all checks are `ok`. */
export interface VerifyReport {
  checks: AliasCheck[];
  isClean: boolean;
}

/** Which files to name. */
export interface ScanRules {
  /** Globs relative to the root. Defaults to all files. */
  include?: string[] | undefined;
  /** Patterns in .gitignore syntax. They apply in addition to the tree's .gitignore, .ignore and .cclignore files. */
  ignore?: string[] | undefined;
  signal?: AbortSignal | undefined;
  onEvent?: ((event: ScanEvent) => void) | undefined;
}

/** Progress of a scan, reported up to about ten times a second. */
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
  /** Aliases whose content differs from the hash in the registry. */
  updated: string[];
  /** Aliases whose content was found unchanged at a new path. */
  moved: string[];
  /** Aliases that were removed because their file no longer exists. */
  removed: string[];
  /**
   * Files and folders that were found but not named. Folders end with a slash. Paths excluded by
   * `include` or `ignore` are not listed.
   */
  skipped: SkippedFile[];
}

/** A file or folder that was not named. */
interface SkippedFile {
  path: string;
  reason: "too_large" | "binary" | "unreadable" | "outside_root" | "ignored";
  /** For `ignored`, the rule: `src/.gitignore: *.log`. */
  rule?: string | undefined;
}

/**
 * Values derived from file contents, keyed by content hash. Stored on disk only if the registry is.
 */
export interface DerivedCache {
  /** `kind` is the name and version of the derivation. */
  get(kind: string, sha256: string): string | undefined;
  set(kind: string, sha256: string, value: string): void;
  /** Writes new values to disk if the registry persists. */
  flush(): Promise<void>;
}

/** Options of `openAliasRegistry`. */
export interface OpenAliasRegistryOptions {
  /** The project's root folder. Paths must stay inside it. */
  root: string;
  /** Relative to the root. Defaults to `.ccl`. Use `.ado` for an AdaOS folder. */
  directory?: string | undefined;
  /** If false, keeps everything in memory and writes nothing. Defaults to true. */
  persist?: boolean | undefined;
}

/** Maps aliases to a project's files. */
export interface AliasRegistry {
  /** Absolute path, with links resolved. */
  readonly root: string;
  readonly directory: string;
  readonly isPersistent: boolean;
  readonly cache: DerivedCache;
  /**
   * Names a file, or points an existing alias to another file. Issues: alias_invalid, alias_taken
   * (ignores case), path_outside_root, path_not_found, path_not_a_file, path_unreadable.
   */
  add(
    alias: string,
    path: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<Result<AliasEntry>>;
  /** Removes an alias. Returns true if it existed. */
  remove(alias: string): Promise<boolean>;
  /** Returns all entries, ordered by alias in code units. */
  list(): AliasEntry[];
  /**
   * Reads the current file for `alias` or `alias@sha8`. Issues: alias_invalid, alias_unknown (with
   * the nearest names), alias_stale (with the current sha8), path_not_found, path_outside_root,
   * path_not_a_file, path_unreadable, file_too_large (over 64 MiB).
   */
  resolve(
    alias: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<Result<AliasContent>>;
  /**
   * Returns the current state of all files, ordered by alias. Reads a file unless its times and
   * size prove that it is unchanged.
   */
  stat(options?: { signal?: AbortSignal | undefined }): Promise<AliasStat[]>;
  verify(options?: { signal?: AbortSignal | undefined }): Promise<VerifyReport>;
  /** Names every file that is not ignored. Keeps existing names. */
  scan(rules?: ScanRules): Promise<ScanReport>;
  /** Waits for pending changes, then writes the caches. */
  close(): Promise<void>;
}

/** The arguments that a model passes to `get_alias`. */
export interface GetAliasInput {
  /**
   * `H.main`, `H.main@9f8e7d6c`, a path, a unique end of a path, or `path#name` for a declaration.
   * A list may contain up to 10 of them, which share the limits of one answer. Absent if `search`
   * is given.
   */
  alias?: string | readonly string[] | undefined;
  /** Words to search for. Returns the best matching places in the best 5 files. */
  search?: string | undefined;
  sha8?: string | undefined;
  /** 1-based and inclusive: "10-40", "10-", "7". */
  lines?: string | undefined;
}

/** The unchanged text of all or part of a file. */
export interface GetAliasOutput {
  alias: string;
  path: string;
  sha8: string;
  text: string;
  /** 1-based, inclusive. */
  firstLine: number;
  lastLine: number;
  totalLines: number;
  /** What to request next. Present if the answer was truncated. */
  next?: { lines: string } | undefined;
  /** The remaining results of a list or a search, in order. */
  others?: GetAliasOutput[] | undefined;
  /** Issues for items of a list that were refused, if other items were found. */
  issues?: Issue[] | undefined;
}

/** The tool that `createGetAliasTool` returns. */
export type GetAliasTool = ToolDefinition<GetAliasInput, Result<GetAliasOutput>>;
