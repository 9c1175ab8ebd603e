/** A named value, as JSON. */
export interface StoredRecord {
  name: string;
  value: unknown;
  /** 1 for a new record, and 1 more after each `put`. A removed record starts again. */
  version: number;
}

/** One change of a `write`. Names have 1 to 300 characters. */
export type RecordChange =
  /** `expectedVersion` 0 means that there must be no record yet. Without an expected version the last write wins. */
  | { put: string; value: unknown; expectedVersion?: number | undefined }
  | { remove: string; expectedVersion?: number | undefined }
  /**
   * Appends entries. `expectedVersion` is the number of entries before. Without it they are added to whatever is there.
   */
  | { append: string; entries: readonly unknown[]; expectedVersion?: number | undefined }
  | { removeLog: string; expectedVersion?: number | undefined };

/** The version after a change. 0 means that the record or log does not exist. */
export interface ChangeOutcome {
  before: number;
  after: number;
}

/** Which records or logs to list. They are ordered by the code units of their names. */
export interface ListOptions extends RecordsCall {
  prefix?: string | undefined;
  /** The cursor of the previous page. */
  cursor?: string | undefined;
  /** 100 by default, up to 1,000. */
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
  /** `version` is the number of entries of the log. */
  logs: { name: string; version: number }[];
  /** Absent on the last page. */
  cursor?: string | undefined;
}

/** Which entries to read. */
export interface ReadLogOptions extends RecordsCall {
  /** Position of the first entry. 0 by default. */
  from?: number | undefined;
  /** 1,000 by default, up to 10,000. */
  limit?: number | undefined;
}

/** A page of a log, oldest first. */
export interface LogPage {
  entries: unknown[];
  /** The number of entries of the log. 0 if it does not exist. */
  version: number;
}

/** A lease, which lets one holder at a time work on something. */
export interface Lease {
  name: string;
  /** Larger than the token of every earlier holder. A `write` with the lease fails once there is a larger token. */
  token: number;
  untilMs: number;
}

/** Options of acquiring a lease. */
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
 * One place for what an application keeps: records with versions, append-only logs, and leases. Values are JSON. They are
 * read as new objects with their members in the same order. Every promise rejects with a `RecordsError`.
 */
export interface Records {
  get(name: string, options?: RecordsCall): Promise<StoredRecord | undefined>;
  /** One result for each name, in the requested order. */
  getMany(names: readonly string[], options?: RecordsCall): Promise<(StoredRecord | undefined)[]>;
  list(options?: ListOptions): Promise<RecordPage>;
  readLog(name: string, options?: ReadLogOptions): Promise<LogPage>;
  listLogs(options?: ListOptions): Promise<LogList>;
  /**
   * Applies all changes or none. Each name can have one change. Returns their outcomes in the same order.
   * @throws RecordsError `conflict` if a version is not the expected one or `lease` is no longer the newest
   */
  write(
    changes: readonly RecordChange[],
    options?: RecordsCall & { lease?: Lease | undefined },
  ): Promise<ChangeOutcome[]>;
  /** Undefined while another caller holds it. With `held` also if another caller has held it since. */
  acquireLease(name: string, request: LeaseRequest): Promise<Lease | undefined>;
  /** Waits for running calls. Later calls fail with `closed`. Closing twice does nothing. */
  close(): Promise<void>;
}
