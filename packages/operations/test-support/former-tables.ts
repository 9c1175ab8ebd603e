import { readFile } from "node:fs/promises";

type Rows = Record<string, Record<string, string | number | null>[]>;

/** Tables that a former version made, and what it answered of them. */
interface Fixture {
  create: string[];
  rows: Rows;
  answers: Record<string, unknown>;
}

const folder = new URL("../src/stores/__fixtures__/", import.meta.url);

async function read<Value>(name: string): Promise<Value> {
  return JSON.parse(await readFile(new URL(name, folder), "utf8"));
}

/** Statements that make a database as a version of the tables left it, and what that version answered. */
export async function fixtureOfVersion(
  version: number,
): Promise<{ statements: string; answers?: Record<string, unknown> }> {
  const newest = await read<Fixture>("tables-of-version-6.json");
  if (version === 6)
    return { statements: statementsOf(newest.rows, newest.create), answers: newest.answers };
  const rows = await read<Rows>("tables-of-version-4.json");
  const schema = [{ component: "operations", version }];
  // From version 5 on the profiles' table waits to be moved alone.
  if (version === 5) schema.push({ component: "operation_profiles", version: 1 });
  const create = [...newest.create, ...olderColumns];
  return { statements: statementsOf({ ...rows, ccl_schema: schema }, create) };
}

const olderColumns = [
  "ALTER TABLE ccl_operation_turns ADD COLUMN user_message TEXT NOT NULL DEFAULT ''",
  "ALTER TABLE ccl_operation_turns ADD COLUMN answer TEXT",
  "CREATE TABLE ccl_operation_profiles (sort_key TEXT PRIMARY KEY, profile_id TEXT NOT NULL, version BIGINT NOT NULL, profile TEXT NOT NULL)",
];

/** Statements that create tables and insert their rows. */
export function statementsOf(rows: Rows, create: readonly string[]): string {
  const inserts = Object.entries(rows).flatMap(([name, all]) =>
    all.map((row) => {
      const values = Object.values(row).map((value) =>
        typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value),
      );
      return `INSERT INTO ${name} (${Object.keys(row).join(", ")}) VALUES (${values.join(", ")})`;
    }),
  );
  return [...create, ...inserts].map((statement) => `${statement};\n`).join("");
}
