/** What calls a read off. */
export interface ReadOptions {
  signal?: AbortSignal | undefined;
}

/** Which names of a prefix are listed. */
export interface ListNamesOptions extends ReadOptions {
  /** Only names greater than the prefix and this. */
  after?: string;
  limit: number;
}

/** One step: all of it happens, or nothing. What it removes it neither sets nor marks. */
export interface Write {
  /** Values as they were read; undefined for none. */
  seen: ReadonlyMap<string, string | undefined>;
  set: ReadonlyMap<string, string>;
  /** Counters and what is added to them; one that comes to 0 goes. */
  add: ReadonlyMap<string, number>;
  /** Names that lists shall show. */
  mark: Iterable<string>;
  /** Values and marks that go. */
  remove: Iterable<string>;
  /** Pieces that shall not vanish any more. */
  keep: readonly string[];
  /** Pieces that go. */
  drop: readonly string[];
}

/** The few calls by which the driver uses a database. Names are printable ASCII and compared byte by byte. */
export interface Database {
  /** Values and counters, in the order of the names. */
  get(names: readonly string[], options?: ReadOptions): Promise<(string | undefined)[]>;
  /** Marked names that begin with the prefix, rising. */
  list(prefix: string, options: ListNamesOptions): Promise<string[]>;
  /** Writes bytes that vanish after a day, unless a write keeps them before. */
  putPiece(name: string, bytes: Uint8Array, options?: ReadOptions): Promise<void>;
  /** The caller's to keep. */
  getPiece(name: string, options?: ReadOptions): Promise<Uint8Array | undefined>;
  dropPieces(names: readonly string[]): Promise<void>;
  /**
   * False, and nothing changed, where a value is not as it was seen any more.
   * @throws Error where a piece to keep has vanished, and nothing changed; after other failures it may have happened
   */
  write(write: Write): Promise<boolean>;
}
