/** What one alias stood for. `text` is absent where only the hash was kept. */
export interface SnapshotEntry {
  path: string;
  sha256: string;
  text?: string | undefined;
}

/** The state of a context at one moment. */
export interface Snapshot {
  /** `ctx@` and 8 hex digits of the hash over all aliases, paths and content hashes. */
  id: string;
  entries: Record<string, SnapshotEntry>;
}

/** What became of one alias between two snapshots. */
export type AliasChange =
  | {
      alias: string;
      type: "added";
      entry: SnapshotEntry;
      /** What a removed alias named before: the same path, or the same content elsewhere. The file is not new. */
      was?: { alias: string; path: string; isSame: boolean } | undefined;
    }
  | { alias: string; type: "removed"; path: string }
  | {
      alias: string;
      type: "changed";
      path: string;
      sha256: string;
      /** Unified diff of the texts, where both are known. */
      patch?: string | undefined;
      /** The diff to show: of the texts with their secrets masked, where they hold any. */
      maskedPatch?: string | undefined;
      /** The new entry's text, if there is no diff. */
      text?: string | undefined;
      /** In words, for the prompt; at least one line, without the alias. */
      notes: string[];
    };

/** The way from one snapshot to another. */
export interface Delta {
  baseId: string;
  nextId: string;
  /** Ordered by alias, in code units. */
  changes: AliasChange[];
}
