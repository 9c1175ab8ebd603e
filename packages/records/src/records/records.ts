/** A named JSON value. */
export interface StoredRecord {
  name: string;
  value: unknown;
  /** 1 for a new record, incremented by each `put`. A removed record starts again at 1. */
  version: number;
}

/** One change of a `write`. Names are 1 to 300 characters long. */
export type RecordChange =
  /**
   * `expectedVersion` 0 means that the record must not exist yet. Without an expected version, the last write wins, and a
   * damaged record is replaced as if there was none.
   */
  | { put: string; value: unknown; expectedVersion?: number | undefined }
  /** Without an expected version, also removes a damaged record. */
  | { remove: string; expectedVersion?: number | undefined }
  /** Appends entries. `expectedVersion` is the number of existing entries. Without it, appends to whatever exists. */
  | { append: string; entries: readonly unknown[]; expectedVersion?: number | undefined }
  | { removeLog: string; expectedVersion?: number | undefined };

/** The version after a change. 0 means that the record or log does not exist. */
export interface ChangeOutcome {
  before: number;
  after: number;
}

/** Which records or logs to list. They are sorted by name in code units. */
export interface ListOptions extends RecordsCall {
  prefix?: string | undefined;
  /** Cursor from the previous page. */
  cursor?: string | undefined;
  /** Defaults to 100, up to 1,000. */
  limit?: number | undefined;
}

/** A page of records. */
export interface RecordPage {
  records: StoredRecord[];
  /** Absent on the last page. */
  cursor?: string | undefined;
}

/** A page of logs. */
export interface LogList {
  /** `version` is the number of entries in the log. */
  logs: { name: string; version: number }[];
  /** Absent on the last page. */
  cursor?: string | undefined;
}

/** Which entries to read. */
export interface ReadLogOptions extends RecordsCall {
  /** Position of the first entry. Defaults to 0. */
  from?: number | undefined;
  /** Defaults to 1,000, up to 10,000. */
  limit?: number | undefined;
}

/** A page of a log, oldest first. */
export interface LogPage {
  entries: unknown[];
  /** Number of entries in the log. 0 if it does not exist. */
  version: number;
}

/** A lease lets one holder at a time work on something. */
export interface Lease {
  name: string;
  /** Larger than every earlier holder's token. A `write` with the lease fails once a larger token exists. */
  token: number;
  untilMs: number;
}

/** Options for acquiring a lease. */
export interface LeaseRequest extends RecordsCall {
  /** Lifetime in milliseconds. 0 together with `held` releases the lease. */
  ttlMs: number;
  nowMs: number;
  /** The caller's own lease, to renew or release it. */
  held?: Lease | undefined;
}

/** Options of every call. */
export interface RecordsCall {
  signal?: AbortSignal | undefined;
}

/**
 * Stores an application's data: versioned records, append-only logs, and leases. Values are JSON. Reads return new
 * objects with their members in the original order. Every promise rejects with a `RecordsError`.
 */
export interface Records {
  get(name: string, options?: RecordsCall): Promise<StoredRecord | undefined>;
  /** Returns one result per name, in the requested order. */
  getMany(names: readonly string[], options?: RecordsCall): Promise<(StoredRecord | undefined)[]>;
  list(options?: ListOptions): Promise<RecordPage>;
  readLog(name: string, options?: ReadLogOptions): Promise<LogPage>;
  listLogs(options?: ListOptions): Promise<LogList>;
  /**
   * Applies all changes or none. Each name can have only one change. Returns the outcomes in the same order.
   * @throws RecordsError `conflict` if a version is not the expected one or `lease` is no longer the newest
   */
  write(
    changes: readonly RecordChange[],
    options?: RecordsCall & { lease?: Lease | undefined },
  ): Promise<ChangeOutcome[]>;
  /** Returns undefined while another caller holds it. With `held`, also if another caller has held it since. */
  acquireLease(name: string, request: LeaseRequest): Promise<Lease | undefined>;
  /** Waits for running calls. Later calls fail with `closed`. Closing twice does nothing. */
  close(): Promise<void>;
}
