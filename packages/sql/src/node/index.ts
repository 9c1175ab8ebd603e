export type { SqliteDriverName } from "./find-sqlite-driver.ts";
export { openSqlite, type OpenSqliteOptions } from "./open-sqlite.ts";
