/** An alias's file in a snapshot. `text` is absent if only the hash was kept. */
export interface SnapshotEntry {
  path: string;
  sha256: string;
  text?: string | undefined;
}

/** The state of a context at one point in time. */
export interface Snapshot {
  /** `ctx@` and 8 hex digits of the hash over all aliases, paths and content hashes. */
  id: string;
  entries: Record<string, SnapshotEntry>;
}

/** The change of an alias between two snapshots. */
export type AliasChange =
  | { alias: string; type: "added"; entry: SnapshotEntry }
  | { alias: string; type: "removed"; path: string }
  | {
      alias: string;
      type: "changed";
      /** The file's alias in the base, if it has been renamed. */
      was?: string | undefined;
      path: string;
      sha256: string;
      /**
       * Unified diff of the two versions. Empty if the content is the same. Undefined if one
       * version is unknown or they have too little in common.
       */
      patch?: string | undefined;
      /** Diff of the masked versions, present if they contain secrets. Show it instead of `patch`. */
      maskedPatch?: string | undefined;
      /** The new entry's text, if there is no diff. */
      text?: string | undefined;
      /** Describes the change for the prompt in one or more lines, without the alias. */
      notes: string[];
    };

/** The changes from one snapshot to another. */
export interface Delta {
  baseId: string;
  nextId: string;
  /** Ordered by alias, in code units. */
  changes: AliasChange[];
}
