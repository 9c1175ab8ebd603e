import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openSqlite } from "@ccl/sql/node";

import { type CclRun, runCcl, type RunCclOptions } from "./run-ccl.ts";

const require = createRequire(new URL("../../../catalog/package.json", import.meta.url));

/** Command that starts the MCP server "everything". */
export const everything: string = `"${process.execPath}" "${require.resolve("@modelcontextprotocol/server-everything/dist/index.js")}" stdio`;

/** A temporary folder, with functions that run `ccl` in it. */
export interface CatalogProject {
  root: string;
  ccl(args: string[], options?: Partial<RunCclOptions>): Promise<CclRun>;
  /** Runs with `--json`. */
  json(args: string[], options?: Partial<RunCclOptions>): Promise<{ code: number; document: unknown }>;
  /** Runs SQL on `data.sqlite`. */
  sql(text: string): Promise<void>;
  remove(): Promise<void>;
}

/** Creates a project with a database of two tables that are filled from vega-datasets. */
export async function createCatalogProject(): Promise<CatalogProject> {
  const root = await mkdtemp(join(tmpdir(), "ccl-catalog-"));
  const path = join(root, "data.sqlite");
  const ccl = (args: string[], options: Partial<RunCclOptions> = {}): Promise<CclRun> =>
    runCcl(args, { cwd: root, ...options });
  const database = await openSqlite({ path, durability: "off" });
  database.exec(`CREATE TABLE companies (symbol TEXT PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE stocks (symbol TEXT NOT NULL REFERENCES companies(symbol), date TEXT NOT NULL, price REAL);`);
  const rows = (await readDataset("stocks.csv")).trim().split("\n").slice(1);
  const company = database.prepare("INSERT OR IGNORE INTO companies VALUES (?, ?)");
  const stock = database.prepare("INSERT INTO stocks VALUES (?, ?, ?)");
  for (const row of rows) {
    const [symbol = "", date = "", price = ""] = row.split(",");
    company.run(symbol, symbol);
    stock.run(symbol, date, Number(price));
  }
  database.close();
  return {
    root,
    ccl,
    async json(args, options) {
      const { code, stdout, stderr } = await ccl([...args, "--json"], options);
      if (stderr !== "") throw new Error(`--json wrote to stderr: ${stderr}`);
      return { code, document: JSON.parse(stdout) };
    },
    async sql(text) {
      const opened = await openSqlite({ path, durability: "off" });
      opened.exec(text);
      opened.close();
    },
    remove: () => rm(root, { recursive: true, maxRetries: 3 }),
  };
}

/** Reads a file of vega-datasets. */
export async function readDataset(name: string): Promise<string> {
  return await readFile(new URL(`../../../catalog/node_modules/vega-datasets/data/${name}`, import.meta.url), "utf8");
}
