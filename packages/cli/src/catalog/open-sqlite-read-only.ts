import { openSqlite, type SqliteDatabase, type SqliteHandle, type SqliteStatement } from "@ccl/sql";

/**
 * Opens somebody's database without changing it: `openSqlite` would turn its journal mode to WAL. The driver is the one
 * that `openSqlite` finds.
 */
export async function openSqliteReadOnly(path: string): Promise<SqliteDatabase> {
  const memory = await openSqlite({ path: ":memory:" });
  const { driver, handle: blank, busyTimeoutMs } = memory;
  memory.close();
  const handle: unknown = Reflect.construct(blank.constructor, [path, { readOnly: true }]);
  if (!isHandle(handle)) throw new TypeError(`The driver ${driver} opened no database.`);
  handle.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  return {
    driver,
    handle,
    busyTimeoutMs,
    exec: (sql) => void handle.exec(sql),
    prepare: (sql) => handle.prepare(sql),
    close: () => void handle.close(),
  };
}

/** Both drivers are those of Node, whose statements are like ours. */
function isHandle(value: unknown): value is Omit<SqliteHandle, "prepare"> & { prepare(sql: string): SqliteStatement } {
  return typeof value === "object" && value !== null && "prepare" in value && "exec" in value && "close" in value;
}
