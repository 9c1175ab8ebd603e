/** A value under a name, as JSON. */
export interface StoredRecord {
  name: string;
  value: unknown;
  /** 1 for a new one, and 1 more with each `put`; a record that was removed begins again. */
  version: number;
}

/** One change among those of a `write`; names have 1 to 300 characters. */
export type RecordChange =
  /** `expectedVersion` 0: there is none yet. Without one the last write wins. */
  | { put: string; value: unknown; expectedVersion?: number | undefined }
  | { remove: string; expectedVersion?: number | undefined }
  /** Adds at the end. `expectedVersion` is the number of entries before; without one they are added to what is there. */
  | { append: string; entries: readonly unknown[]; expectedVersion?: number | undefined }
  | { removeLog: string; expectedVersion?: number | undefined };

/** The versions of what a change is about; 0 stands for one that is not there. */
export interface ChangeOutcome {
  before: number;
  after: number;
}

/** Which records or logs a page holds, in the order of the code units of their names. */
export interface ListOptions extends RecordsCall {
  prefix?: string | undefined;
  /** From the page before. */
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
  /** `version` is the number of entries. */
  logs: { name: string; version: number }[];
  /** Absent on the last page. */
  cursor?: string | undefined;
}

/** Which entries a page holds. */
export interface ReadLogOptions extends RecordsCall {
  /** The position of the first; 0 by default. */
  from?: number | undefined;
  /** 1,000 by default, up to 10,000. */
  limit?: number | undefined;
}

/** A page of a log, oldest first. */
export interface LogPage {
  entries: unknown[];
  /** The number of entries of the log; 0 for one that is not there. */
  version: number;
}

/** What lets one holder at a time work on something. */
export interface Lease {
  name: string;
  /** Larger than that of each holder before. A `write` with the lease fails once there is a larger one. */
  token: number;
  untilMs: number;
}

/** What a lease is asked for with. */
export interface LeaseRequest extends RecordsCall {
  /** 0 with `held` gives it back. */
  ttlMs: number;
  nowMs: number;
  /** The caller's own lease, to renew it. */
  held?: Lease | undefined;
}

/** What every call takes. */
export interface RecordsCall {
  signal?: AbortSignal | undefined;
}

/**
 * One place for what an application keeps: records with versions, logs that only grow, and leases. Values are JSON and come
 * back as new objects, with their members in the same order. Every promise rejects with a `RecordsError`.
 */
export interface Records {
  get(name: string, options?: RecordsCall): Promise<StoredRecord | undefined>;
  /** One answer for each name, in the order asked. */
  getMany(names: readonly string[], options?: RecordsCall): Promise<(StoredRecord | undefined)[]>;
  list(options?: ListOptions): Promise<RecordPage>;
  readLog(name: string, options?: ReadLogOptions): Promise<LogPage>;
  listLogs(options?: ListOptions): Promise<LogList>;
  /**
   * Makes all changes or none, one for each name, and gives their outcomes in the same order.
   * @throws RecordsError `conflict` when a version is not the expected one or `lease` is no longer the newest
   */
  write(
    changes: readonly RecordChange[],
    options?: RecordsCall & { lease?: Lease | undefined },
  ): Promise<ChangeOutcome[]>;
  /** Undefined while another holds it; with `held` also once another has held it. */
  acquireLease(name: string, request: LeaseRequest): Promise<Lease | undefined>;
  /** Waits for calls under way; later ones fail with `closed`. Closing twice does nothing. */
  close(): Promise<void>;
}
