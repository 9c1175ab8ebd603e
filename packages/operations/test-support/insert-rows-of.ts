import { readFile } from "node:fs/promises";

/** Statements that insert the rows of a fixture: a JSON file of tables with their rows by column. */
export async function insertRowsOf(fixture: URL): Promise<string> {
  const tables: Record<string, Record<string, string | number | null>[]> = JSON.parse(
    await readFile(fixture, "utf8"),
  );
  const statements = Object.entries(tables).flatMap(([name, rows]) =>
    rows.map((row) => {
      const values = Object.values(row).map((value) =>
        typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value),
      );
      return `INSERT INTO ${name} (${Object.keys(row).join(", ")}) VALUES (${values.join(", ")});`;
    }),
  );
  return statements.join("\n");
}
