/** A key and its text. Undefined if there is no text. */
export type KeyValueEntry = readonly [key: string, text: string | undefined];

/** A range of keys, from an inclusive start to an exclusive end. */
export interface KeyRange {
  from: string;
  before: string;
  limit: number;
}

/** A single step: what it checks and what it writes. */
export interface KeyValueCommit {
  /** Required values of these keys before the step. */
  checks: readonly KeyValueEntry[];
  /** Values of these keys after the step. */
  writes: readonly KeyValueEntry[];
}

/**
 * What records need from a database: sorted keys, and an atomic step that checks and writes. Keys are printable ASCII
 * of up to 1,500 characters, case-sensitive. Texts are Unicode without line feeds, usually short, sometimes several
 * MiB.
 */
export interface KeyValue {
  /** Returns the texts in the order of the keys. */
  get(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** Returns entries sorted by key. A page may contain fewer than `limit` entries. Only an empty page marks the end. */
  list(range: KeyRange): Promise<readonly (readonly [key: string, text: string])[]>;
  /**
   * Writes everything, or returns false and writes nothing if a check fails. A database without transactions writes in
   * the given order. Concurrent readers, or readers after a crash, may then see only the first writes, which records
   * allow for.
   */
  commit(commit: KeyValueCommit): Promise<boolean>;
  close?(): Promise<void>;
}
