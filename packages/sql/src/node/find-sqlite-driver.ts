import { SqlError } from "../sql-error.ts";
import type { SqliteHandle } from "../sqlite/sqlite-database.ts";

/** A driver that `openSqlite` can find. */
export type SqliteDriverName = "node:sqlite" | "@photostructure/sqlite";

/** A driver that is available. */
export interface SqliteDriver {
  name: SqliteDriverName;
  /** `path` may be a URI that begins with `file:`. */
  open(path: string, options?: { readOnly: boolean }): SqliteHandle;
}

type DatabaseClass = new (path: string, options: { readOnly: boolean }) => SqliteHandle;

/**
 * Finds the named driver or, by default, the first available one: node:sqlite (Node 22.13 and later), then
 * @photostructure/sqlite.
 */
export function findSqliteDriver(wanted?: SqliteDriverName): SqliteDriver {
  let cause: unknown;
  for (const name of wanted === undefined ? driverNames : [wanted]) {
    try {
      const found = loaders[name]();
      if (hasDatabaseClass(found)) {
        const Database = found.DatabaseSync;
        return { name, open: (path, options = { readOnly: false }) => new Database(path, options) };
      }
    } catch (error) {
      cause ??= error;
    }
  }
  throw new SqlError("no_driver", missingMessage(wanted), { cause, details: { wanted } });
}

// Both drivers are looked up at run time, so that bundlers neither follow the native module nor
// fail if it is not installed.
const loaders: Record<SqliteDriverName, () => unknown> = {
  "node:sqlite": () => globalThis.process?.getBuiltinModule?.("node:sqlite"),
  "@photostructure/sqlite": () =>
    globalThis.process?.getBuiltinModule?.("node:module").createRequire(import.meta.url)(
      "@photostructure/sqlite",
    ),
};

const driverNames: readonly SqliteDriverName[] = ["node:sqlite", "@photostructure/sqlite"];

function hasDatabaseClass(found: unknown): found is { DatabaseSync: DatabaseClass } {
  return (
    typeof found === "object" &&
    found !== null &&
    "DatabaseSync" in found &&
    typeof found.DatabaseSync === "function"
  );
}

function missingMessage(wanted: SqliteDriverName | undefined): string {
  const missing =
    wanted === undefined ? "There is no SQLite driver." : `The SQLite driver ${wanted} is missing.`;
  return `${missing} Run \`npm install @photostructure/sqlite\`, or use Node 22.13 or newer, which has node:sqlite.`;
}
