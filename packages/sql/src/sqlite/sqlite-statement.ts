import { checkText } from "../check-text.ts";
import { SqlError } from "../sql-error.ts";
import type { SqliteHandle, SqliteRow, SqliteStatement, SqliteValue } from "./sqlite-database.ts";

/** A statement that its connection finalizes. */
export interface OwnedStatement extends SqliteStatement {
  finalise(): void;
}

interface StatementOptions {
  handle: SqliteHandle;
  sql: string;
  wantsBigints: boolean;
  /** Runs an action on an open connection and converts its errors to `SqlError`. */
  guard: <T>(action: () => T) => T;
  /** Open reads, which `close()` ends. */
  reads: OpenReads;
}

/**
 * Maps each read to its statement, which keeps the statement alive. @photostructure/sqlite finalizes
 * garbage-collected statements even during a read, which makes the read fail or crashes the process.
 */
export type OpenReads = Map<Iterator<unknown>, unknown>;

/** A statement of any driver. Each driver has some of the optional methods. */
interface DriverStatement {
  run(...parameters: SqliteValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...parameters: SqliteValue[]): SqliteRow | undefined;
  all(...parameters: SqliteValue[]): SqliteRow[];
  iterate(...parameters: SqliteValue[]): Iterator<SqliteRow>;
  setReadBigInts?(wanted: boolean): void;
  safeIntegers?(wanted: boolean): void;
  /**
   * In better-sqlite3, true for statements that return rows. `run` rejects these, `get` and `all` reject any
   * others.
   */
  reader?: boolean | undefined;
  [Symbol.dispose]?(): void;
}

/** Prepares `sql` and wraps the driver's statement, hiding the differences between drivers. */
export function createSqliteStatement(options: StatementOptions): OwnedStatement {
  const { handle, sql, guard, reads } = options;
  let own: DriverStatement | undefined = prepareOn(options);
  const live = (): DriverStatement => {
    if (own === undefined) throw new SqlError("closed", "The statement's database is closed.");
    return own;
  };
  const rowOf =
    own.safeIntegers === undefined ? sameRow : options.wantsBigints ? plainBlobs : plainRow;
  return {
    run: (...parameters) =>
      guard(() => {
        const statement = live();
        checkParameters(handle, parameters);
        if (statement.reader !== true) return changesOf(statement.run(...parameters));
        statement.all(...parameters);
        return changesOf(countChanges(handle));
      }),
    get: (...parameters) =>
      guard(() => {
        const statement = live();
        checkParameters(handle, parameters);
        if (statement.reader === false) return void statement.run(...parameters);
        const row = statement.get(...parameters);
        return row === undefined || row === null ? undefined : rowOf(row);
      }),
    all: (...parameters) =>
      guard(() => {
        const statement = live();
        checkParameters(handle, parameters);
        if (statement.reader !== false) return statement.all(...parameters).map(rowOf);
        statement.run(...parameters);
        return [];
      }),
    // Uses a new statement, because running the cached one again would end this loop.
    iterate: (...parameters) =>
      iterateRows({
        open: () => {
          checkParameters(handle, parameters);
          const statement = prepareOn(options);
          return { statement, rows: statement.iterate(...parameters) };
        },
        guard,
        reads,
        rowOf,
      }),
    finalise: () => {
      own?.[Symbol.dispose]?.();
      own = undefined;
    },
  };

  function prepareOn({ wantsBigints }: StatementOptions): DriverStatement {
    const statement: unknown = handle.prepare(sql);
    if (!isDriverStatement(statement))
      throw new SqlError("invalid_input", "The handle is not a SQLite database.");
    // Without this, better-sqlite3 would silently round an integer.
    statement.safeIntegers?.(true);
    if (wantsBigints) statement.setReadBigInts?.(true);
    return statement;
  }
}

interface RowLoop {
  open: () => { statement: DriverStatement; rows: Iterator<SqliteRow> };
  guard: StatementOptions["guard"];
  reads: OpenReads;
  rowOf: (row: SqliteRow) => SqliteRow;
}

function* iterateRows({ open, guard, reads, rowOf }: RowLoop): Generator<SqliteRow, void> {
  const { statement, rows } = guard(open);
  reads.set(rows, statement);
  try {
    for (let next = guard(() => rows.next()); next.done !== true; next = guard(() => rows.next())) {
      yield rowOf(next.value);
    }
  } finally {
    if (reads.delete(rows)) rows.return?.();
  }
}

// Rejects values that a driver would change. Some drivers silently turn 1e-20 into 0.
function checkParameters(handle: SqliteHandle, parameters: readonly SqliteValue[]): void {
  for (const value of parameters) {
    if (typeof value === "string") checkText(value);
    if (typeof value === "number" && isNextToWhole(value) && !bindsAsFloat(handle, value))
      throw new SqlError(
        "invalid_input",
        `The driver would bind ${value} as 0; give it as text to CAST(? AS REAL).`,
      );
  }
}

/** True for a number barely above a whole number, which @photostructure/sqlite binds as that whole number. */
function isNextToWhole(value: number): boolean {
  return !Number.isInteger(value) && value - Math.floor(value) < Number.EPSILON;
}

function bindsAsFloat(handle: SqliteHandle, value: number): boolean {
  const statement: unknown = handle.prepare("SELECT typeof(?) AS kind");
  return isDriverStatement(statement) && statement.get(value)?.["kind"] === "real";
}

function isDriverStatement(value: unknown): value is DriverStatement {
  return typeof value === "object" && value !== null && "run" in value && "iterate" in value;
}

function changesOf(result: { changes: number | bigint; lastInsertRowid: number | bigint }): {
  changes: number;
  lastInsertRowid: number | bigint;
} {
  return { changes: Number(result.changes), lastInsertRowid: result.lastInsertRowid };
}

function countChanges(handle: SqliteHandle): { changes: number; lastInsertRowid: number } {
  const row: unknown = handle
    .prepare("SELECT changes() AS changes, last_insert_rowid() AS id")
    .get();
  const isRow = typeof row === "object" && row !== null && "changes" in row && "id" in row;
  return isRow
    ? { changes: Number(row.changes), lastInsertRowid: Number(row.id) }
    : { changes: 0, lastInsertRowid: 0 };
}

const sameRow = (row: SqliteRow): SqliteRow => row;

const mapRow = (row: SqliteRow, valueOf: (value: SqliteValue) => SqliteValue): SqliteRow =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, valueOf(value)]));

const plainBlobs = (row: SqliteRow): SqliteRow => mapRow(row, plainBlob);

const plainRow = (row: SqliteRow): SqliteRow =>
  mapRow(row, (value) => (typeof value === "bigint" ? exactNumber(value) : plainBlob(value)));

/** Converts a Buffer to a plain Uint8Array, so that equality and serialization do not depend on the driver. */
function plainBlob(value: SqliteValue): SqliteValue {
  return value instanceof Uint8Array
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : value;
}

function exactNumber(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new SqlError(
    "out_of_range",
    `${value} has no exact JavaScript number; prepare the statement with bigints.`,
  );
}
