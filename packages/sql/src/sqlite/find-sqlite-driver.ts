import { SqlError } from "../sql-error.ts";
import type { SqliteHandle } from "./sqlite-database.ts";

/** A driver that `openSqlite` can bring itself. */
export type SqliteDriverName = "node:sqlite" | "@photostructure/sqlite";

/** A driver that is there. */
export interface SqliteDriver {
  name: SqliteDriverName;
  /** `path` may be an URI that begins with `file:`. */
  open(path: string, options?: { readOnly: boolean }): SqliteHandle;
}

type DatabaseClass = new (path: string, options: { readOnly: boolean }) => SqliteHandle;

/** The named driver, or the first that is there: node:sqlite (Node 22.5 and newer), then @photostructure/sqlite. */
export async function findSqliteDriver(wanted?: SqliteDriverName): Promise<SqliteDriver> {
  const causes: unknown[] = [];
  for (const name of wanted === undefined ? driverNames : [wanted]) {
    try {
      const Database = await loaders[name]();
      if (Database !== undefined)
        return { name, open: (path, options = { readOnly: false }) => new Database(path, options) };
    } catch (error) {
      causes.push(error);
    }
  }
  throw new SqlError("no_driver", missingMessage(wanted), {
    cause: causes[0],
    details: { wanted },
  });
}

const loaders: Record<SqliteDriverName, () => Promise<DatabaseClass | undefined>> = {
  // Asked for in this way, the module is found at run time and no bundler for another platform stumbles over its name.
  "node:sqlite": async () => databaseClassOf(globalThis.process?.getBuiltinModule?.("node:sqlite")),
  "@photostructure/sqlite": async () => databaseClassOf(await import("@photostructure/sqlite")),
};

const driverNames: readonly SqliteDriverName[] = ["node:sqlite", "@photostructure/sqlite"];

function databaseClassOf(found: unknown): DatabaseClass | undefined {
  return hasDatabaseClass(found) ? found.DatabaseSync : undefined;
}

function hasDatabaseClass(found: unknown): found is { DatabaseSync: DatabaseClass } {
  return (
    typeof found === "object" &&
    found !== null &&
    "DatabaseSync" in found &&
    typeof found.DatabaseSync === "function"
  );
}

function missingMessage(wanted: SqliteDriverName | undefined): string {
  const install = "Run `npm install @photostructure/sqlite`";
  if (wanted === "node:sqlite")
    return `This runtime has no node:sqlite. Use Node 22.5 or newer, or leave \`driver\` out. ${install}.`;
  if (wanted !== undefined) return `@photostructure/sqlite is not there. ${install}.`;
  return `No SQLite driver is there. ${install}; Node 22.5 and newer have one of their own.`;
}
