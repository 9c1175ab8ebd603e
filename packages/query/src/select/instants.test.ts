import type { ResourceDetails } from "@ccl/catalog";
import { openSqlite } from "@ccl/sql/node";
import { PGlite } from "@electric-sql/pglite";
import { expect, it } from "vitest";
import type { Connector } from "../connector/connector.ts";
import { createMemoryConnector } from "../connector/create-memory-connector.ts";
import { openDuckDbEngine } from "../duckdb/open-duckdb-engine.ts";
import { fileConnector } from "../file/file-connector.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import { executeSql } from "./run-sql.ts";

const times = ["2026-03-28T23:30:00Z", "2026-03-29T01:00:00.25Z"];
const visits: ResourceDetails = {
  id: "res:visits",
  uri: "ada://any/db/x:shop/visits",
  kind: "tabular",
  title: "visits",
  columns: [
    { name: "id", type: "int" },
    { name: "seen", type: "timestamptz" },
  ],
};

const cases: readonly [expression: string, value: unknown][] = [
  ["min(seen)", "2026-03-28T23:30:00Z"],
  ["max(seen)", "2026-03-29T01:00:00.25Z"],
  ["date_trunc('month', max(seen))", "2026-03-01T00:00:00Z"],
  ["min(seen) + interval '1 month'", "2026-04-28T23:30:00Z"],
  ["max(seen at time zone 'Europe/Berlin')", "2026-03-29T03:00:00.25"],
  ["min(seen::date)", "2026-03-28"],
  ["extract(hour from min(seen))", 23],
  ["min(seen)::text", "2026-03-28 23:30:00+00"],
  ["to_char(min(seen), 'YYYY-MM-DD HH24:MI')", "2026-03-28 23:30"],
  ["count(*) filter (where seen >= '2026-03-29T00:00:00Z')", 1],
  ["count(*) filter (where seen < timestamp '2026-03-29 00:30:00')", 1],
  ["count(*) filter (where seen < '2026-03-29 01:00:00+01')", 1],
];

it("gives an instant one meaning in PostgreSQL, and in DuckDB over a CSV file, SQLite and memory", async () => {
  const postgres = await PGlite.create();
  const values = times.map((time, at) => `(${at + 1}, '${time}')`).join(", ");
  await postgres.exec(`CREATE TABLE visits (id int, seen timestamptz)`);
  await postgres.exec(`INSERT INTO visits VALUES ${values}`);
  await postgres.exec("SET TimeZone = 'America/New_York'");
  const sqlite = await openSqlite({ path: ":memory:" });
  sqlite.exec(`CREATE TABLE visits (id int, seen text)`);
  sqlite.exec(`INSERT INTO visits VALUES ${values}`);
  const engine = await openDuckDbEngine();
  const memory = { "res:visits": times.map((seen, at) => ({ id: at + 1, seen })) };
  const sources: Record<string, Connector> = {
    PostgreSQL: sqlConnector(postgres),
    CSV: fileConnector({ read: () => `id,seen\n1,${times[0]}\n2,${times[1]}\n` }),
    SQLite: sqlConnector(sqlite),
    memory: createMemoryConnector(memory),
  };
  for (const [name, connector] of Object.entries(sources)) {
    const uri = name === "CSV" ? "ada://any/file/visits.csv" : visits.uri;
    const connectors = { "ada://any": connector };
    const options = { details: [{ ...visits, uri }], engine, connectors };
    const texts = cases.map(([expression]) => expression);
    const list = texts.map((text, at) => `${text} as c${at}`).join(", ");
    const statement = `select ${list} from visits`;
    const { rows, ranOn, columns } = await executeSql(statement, {
      ...options,
      dialect: "postgresql",
    });
    const where = name === "PostgreSQL" ? "PostgreSQL" : "DuckDB";
    expect({ name, ranOn, type: columns[0]?.type }).toEqual({
      name,
      ranOn: where,
      type: "timestamptz",
    });
    const found = texts.map((text, at): [string, unknown] => {
      const value = rows[0]?.[`c${at}`];
      return [text, text.startsWith("extract") ? Number(value) : value];
    });
    expect({ name, found }).toEqual({ name, found: cases });
  }
  await engine.close();
  await postgres.close();
  sqlite.close();
});
