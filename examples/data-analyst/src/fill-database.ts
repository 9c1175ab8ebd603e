import { readFile } from "node:fs/promises";

import { type SqliteDatabase, type SqliteValue, transaction } from "@ccl/sql";

/** A data set as a table. */
interface TableSource {
  table: string;
  file: string;
  key?: string;
  /** Foreign keys: columns by the columns that they point at. */
  references?: Record<string, string>;
}

/** Tables that others point at come first. */
const sources: readonly TableSource[] = [
  { table: "airports", file: "airports.csv", key: "iata" },
  {
    table: "flights",
    file: "flights-2k.json",
    references: { origin: "airports(iata)", destination: "airports(iata)" },
  },
  {
    table: "flight_routes",
    file: "flights-airport.csv",
    references: { origin: "airports(iata)", destination: "airports(iata)" },
  },
  { table: "movies", file: "movies.json" },
  { table: "stocks", file: "stocks.csv" },
  { table: "weather", file: "weather.csv" },
  { table: "cars", file: "cars.json" },
  { table: "barley_yields", file: "barley.json" },
  { table: "penguins", file: "penguins.json" },
  { table: "world_population", file: "gapminder.json" },
  { table: "us_jobs", file: "jobs.json" },
  { table: "bird_strikes", file: "birdstrikes.csv" },
  { table: "disasters", file: "disasters.csv" },
  { table: "unemployment", file: "unemployment-across-industries.json" },
  { table: "wheat_prices", file: "wheat.json" },
  { table: "co2_concentration", file: "co2-concentration.csv" },
];

type Row = Record<string, unknown>;

/** Creates a table from each data set of vega-datasets that is named above. Returns the rows by table. */
export async function fillDatabase(database: SqliteDatabase): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const source of sources) {
    const rows = await readRows(source.file);
    await transaction(database, async () => fillTable(database, source, rows));
    counts.set(source.table, rows.length);
  }
  return counts;
}

function fillTable(
  database: SqliteDatabase,
  { table, key, references = {} }: TableSource,
  rows: readonly Row[],
): void {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns = names.map((name) => {
    const target = references[name];
    const parts = [quoted(columnName(name)), typeOf(rows, name)];
    if (name === key) parts.push("PRIMARY KEY");
    if (target !== undefined) parts.push(`NOT NULL REFERENCES ${target}`);
    return parts.join(" ");
  });
  database.exec(`CREATE TABLE ${quoted(table)} (${columns.join(", ")})`);
  const insert = database.prepare(
    `INSERT INTO ${quoted(table)} VALUES (${names.map(() => "?").join(", ")})`,
  );
  for (const row of rows) insert.run(...names.map((name) => valueOf(row[name])));
}

async function readRows(file: string): Promise<Row[]> {
  const folder = new URL("../data/", import.meta.resolve("vega-datasets"));
  const text = (await readFile(new URL(file, folder), "utf8")).trim();
  if (file.endsWith(".json")) {
    const rows: unknown = JSON.parse(text);
    return Array.isArray(rows) ? rows.map((row: unknown) => ({ ...Object(row) })) : [];
  }
  const [head = "", ...lines] = text.split(/\r?\n/);
  const names = fieldsOf(head);
  return lines.map((line) => {
    const fields = fieldsOf(line);
    return Object.fromEntries(names.map((name, index) => [name, typed(fields[index] ?? "")]));
  });
}

function fieldsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, inQuotes, bare = ""]) => inQuotes?.replaceAll('""', '"') ?? bare,
  );
}

function typed(text: string): string | number | null {
  if (text === "") return null;
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

function typeOf(rows: readonly Row[], name: string): string {
  const values = rows
    .map((row) => row[name])
    .filter((value) => value !== null && value !== undefined);
  if (values.some((value) => typeof value !== "number")) return "TEXT";
  return values.every((value) => Number.isInteger(value)) ? "INTEGER" : "REAL";
}

function valueOf(value: unknown): SqliteValue {
  if (value === null || value === undefined) return null;
  return typeof value === "number" || typeof value === "string" ? value : JSON.stringify(value);
}

/** `US Gross` as `us_gross`. */
function columnName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_|_$/g, "");
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
