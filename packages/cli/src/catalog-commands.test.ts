import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { sha256Hex } from "@ccl/core";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  type CatalogProject,
  createCatalogProject,
  everything,
  readDataset,
} from "./__fixtures__/catalog-project.ts";
import { isAtLeast } from "../../../scripts/lengths/test-length.mjs";

const installed = new URL("../../catalog/node_modules/", import.meta.url);
const importers = new URL("../../catalog/src/importers/__fixtures__/", import.meta.url);
// What starts servers of MCP.
const isInCi = isAtLeast("ci");
const stocks = "res:db.sqlite.data.stocks";
const companies = "res:db.sqlite.data.companies";

let project: CatalogProject;

beforeEach(async () => {
  project = await createCatalogProject();
});
afterEach(async () => {
  await project.remove();
});

const importSql = (): Promise<unknown> =>
  project.ccl(["catalog", "import", "--sql", "sqlite:data.sqlite"]);
const folder = (): string => join(project.root, ".ccl", "catalog");
const details = (id: string): string =>
  join(folder(), "details", `${id.replaceAll(":", "%3A")}.json`);

async function editDetails(
  id: string,
  edit: (card: Record<string, unknown>) => void,
): Promise<void> {
  const card: Record<string, unknown> = JSON.parse(await readFile(details(id), "utf8"));
  edit(card);
  await writeFile(details(id), `${JSON.stringify(card, null, 2)}\n`);
}

async function everyText(): Promise<string> {
  const names = (await readdir(folder(), { recursive: true })).filter(
    (name) => !name.startsWith(".cache"),
  );
  const texts = await Promise.all(
    names.map((name) => readFile(join(folder(), name), "utf8").catch(() => "")),
  );
  return texts.join("\n");
}

describe("ccl catalog init", () => {
  it("sets up an empty catalog once", async () => {
    expect(await project.json(["catalog", "init"])).toMatchObject({
      code: 0,
      document: { isNew: true },
    });
    expect(await project.json(["catalog", "init"])).toMatchObject({
      code: 0,
      document: { isNew: false },
    });
    expect(await project.json(["catalog", "search", "stocks"])).toMatchObject({
      code: 0,
      document: { hits: [] },
    });
  });

  it.each([
    ["search", "x"],
    ["show", "x"],
    ["context", "--task", "x"],
    ["verify"],
    ["docs"],
    ["diff"],
  ])("is needed before %s", async (...args) => {
    expect(await project.json(["catalog", ...args])).toMatchObject({
      code: 2,
      document: { error: { code: "not_initialized" } },
    });
  });
});

describe("ccl catalog import", () => {
  it("reads tables with their keys and rows, and leaves the database byte for byte as it was", async () => {
    const path = join(project.root, "plain.sqlite");
    await project.sql(`VACUUM INTO '${path}'`);
    const before = sha256Hex(await readFile(path, "latin1"));
    const run = await project.ccl(["catalog", "import", "--sql", "sqlite:plain.sqlite"]);
    expect(run).toEqual({
      code: 0,
      stdout:
        "additive\tadded\tres:db.sqlite.plain.companies\t\t\t\nadditive\tadded\tres:db.sqlite.plain.stocks\t\t\t\n",
      stderr: "sql:plain 2 resources\n2 additive; 0 unchanged\n",
    });
    expect(sha256Hex(await readFile(path, "latin1"))).toBe(before);
    expect((await readdir(project.root)).filter((name) => name.startsWith("plain"))).toEqual([
      "plain.sqlite",
    ]);
    expect(await project.json(["catalog", "show", "res:db.sqlite.plain.stocks"])).toMatchObject({
      document: {
        overview: { rev: 1, shape: { rows_est: 560, cols: 3 } },
        details: {
          columns: [
            { name: "symbol", nn: true, fk: "companies.symbol" },
            { name: "date" },
            { name: "price" },
          ],
        },
      },
    });
  });

  it("reads every source again, bumps revisions, and says whom a change hurts", async () => {
    await importSql();
    await project.sql(
      "ALTER TABLE stocks DROP COLUMN price; ALTER TABLE companies ADD COLUMN city TEXT; CREATE TABLE trades (id INTEGER)",
    );
    const run = await project.json(["catalog", "import"]);
    expect(run).toMatchObject({
      code: 0,
      document: {
        isWritten: true,
        counts: { breaking: 1, additive: 2, cosmetic: 0 },
        changes: [
          { id: stocks, kind: "changed", severity: "breaking", rev: 2 },
          { id: companies, kind: "changed", severity: "additive", rev: 2 },
          { id: "res:db.sqlite.data.trades", kind: "added", severity: "additive", rev: 1 },
        ],
      },
    });
    const again = await project.json(["catalog", "import"]);
    expect(again).toMatchObject({
      document: { changes: [], counts: { breaking: 0, additive: 0, cosmetic: 0 } },
    });
    await project.sql("DROP TABLE trades");
    expect(await project.json(["catalog", "import"])).toMatchObject({
      document: {
        changes: [{ id: "res:db.sqlite.data.trades", kind: "removed", severity: "breaking" }],
      },
    });
    expect(await readdir(join(folder(), "details"))).toHaveLength(2);
  });

  it("keeps what people wrote, and takes what the source says anew", async () => {
    await importSql();
    await editDetails(stocks, (card) => {
      card["description"] = "Closing prices.";
      card["columns"] = [
        { name: "symbol", type: "text", nn: true, fk: "companies.symbol" },
        { name: "date", type: "text", nn: true },
        { name: "price", type: "real", unit: "USD", description: "At the end of the day." },
      ];
    });
    await project.sql("ALTER TABLE stocks ADD COLUMN volume INTEGER");
    await project.ccl(["catalog", "import"]);
    expect(await project.json(["catalog", "show", stocks])).toMatchObject({
      document: {
        overview: { rev: 2 },
        details: {
          description: "Closing prices.",
          columns: [
            { name: "symbol" },
            { name: "date" },
            { name: "price", type: "real", unit: "USD", description: "At the end of the day." },
            { name: "volume", type: "integer" },
          ],
          usage: { snippets: [{ code: expect.stringContaining("volume") }] },
        },
      },
    });
  });

  it("writes nothing in a dry run, nor where --fail-on is reached", async () => {
    await importSql();
    const before = await everyText();
    await project.sql("ALTER TABLE stocks DROP COLUMN price");
    expect(await project.json(["catalog", "import", "--dry-run"])).toMatchObject({
      code: 0,
      document: { isWritten: false, counts: { breaking: 1 } },
    });
    expect(await project.json(["catalog", "import", "--fail-on", "breaking"])).toMatchObject({
      code: 3,
      document: { isWritten: false },
    });
    expect(await everyText()).toBe(before);
  });

  it.runIf(isInCi)(
    "reads OpenAPI, the tools of an MCP server, files and JSONL together",
    async () => {
      await copyFile(
        new URL("bookings.openapi.yaml", importers),
        join(project.root, "bookings.yaml"),
      );
      await mkdir(join(project.root, "data", "deep"), { recursive: true });
      await writeFile(
        join(project.root, "data", "deep", "weather.csv"),
        await readDataset("weather.csv"),
      );
      await writeFile(
        join(project.root, "data", "penguins.json"),
        await readDataset("penguins.json"),
      );
      await writeFile(
        join(project.root, "own.jsonl"),
        '{"id":"bus:orders","kind":"bus","title":"Orders"}\n',
      );
      const imported = await project.json(
        [
          "catalog",
          "import",
          "--openapi",
          "bookings.yaml",
          "--mcp",
          everything,
          "--files",
          "data/**/*.{csv,json}",
        ].concat(["--jsonl", "own.jsonl"]),
      );
      expect(imported).toMatchObject({
        code: 0,
        document: {
          sources: [
            { kind: "openapi", name: "bookings", resources: 5 },
            { kind: "mcp", name: "server-everything", resources: expect.any(Number) },
            { kind: "files", resources: 2 },
            { kind: "jsonl", name: "own", resources: 1 },
          ],
        },
      });
      expect(await project.ccl(["catalog", "verify"])).toMatchObject({ code: 0 });
      const { document } = await project.json([
        "catalog",
        "search",
        "sum of two numbers",
        "--limit",
        "1",
      ]);
      expect(document).toMatchObject({ hits: [{ id: "res:mcp.server-everything.get-sum" }] });
      const rain = await project.json([
        "catalog",
        "search",
        "precipitation",
        "--facet",
        "kind=file",
      ]);
      expect(rain.document).toMatchObject({ hits: [{ id: "res:file.data/deep/weather.csv" }] });
    },
  );

  it.each([
    ["api.github.com.json", "github"],
    ["openapi.shop.v2.json", "shop"],
    ["openapi.json", "openapi"],
  ])("names the document %s %s", async (file, name) => {
    await copyFile(new URL("warehouse.swagger.json", importers), join(project.root, file));
    const run = await project.json(["catalog", "import", "--openapi", file, "--dry-run"]);
    expect(run).toMatchObject({ code: 0, document: { sources: [{ kind: "openapi", name }] } });
  });

  it("says how to name a database's file, where there is one", async () => {
    const hint = "For this file write sqlite:data.sqlite.";
    const named = await project.ccl(["catalog", "import", "--sql", "data.sqlite"]);
    expect(named).toMatchObject({ code: 2, stderr: expect.stringContaining(hint) });
    const missing = await project.ccl(["catalog", "import", "--sql", "none.sqlite"]);
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.not.stringContaining("For this file"),
    });
  });

  it("never keeps or prints what a connection string hides", async () => {
    const url = "postgres://reader:hunter2-is-long@127.0.0.1:1/shop?sslpassword=also-a-secret";
    await link("pg");
    for (const args of [
      ["--sql", url],
      ["--sql", "env:SHOP_URL"],
      ["--openapi", "http://u:hunter2-is-long@127.0.0.1:1/x"],
    ]) {
      const run = await project.ccl(["catalog", "import", ...args], { env: { SHOP_URL: url } });
      expect(run.code).toBe(8);
      expect(run.stderr).toContain("could not be read");
      expect(run.stdout + run.stderr).not.toMatch(/hunter2|also-a-secret/);
    }
    await expect(readdir(folder())).rejects.toThrow("ENOENT");
  });

  it("keeps an address without its query, and a token by the name of its variable", async () => {
    const document = await readFile(new URL("warehouse.swagger.json", importers), "utf8");
    const seen: (string | undefined)[] = [];
    const server = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.end(document);
    });
    try {
      const address = `http://127.0.0.1:${server.port}/openapi.json`;
      const args = [
        "catalog",
        "import",
        "--openapi",
        `${address}?key=s3cr3t-key-value`,
        "--token-env",
        "API_TOKEN",
      ];
      const run = await project.ccl(args, { env: { API_TOKEN: "t0k3n-value" } });
      expect(run).toMatchObject({
        code: 0,
        stderr: expect.stringContaining(`Stored as ${address}, without`),
      });
      expect(seen).toEqual(["Bearer t0k3n-value"]);
      const kept = await everyText();
      expect(kept).toContain('"tokenVariable": "API_TOKEN"');
      expect(kept + run.stdout + run.stderr).not.toMatch(/s3cr3t|t0k3n/);
    } finally {
      await server.close();
    }
  });

  it("reads Parquet with the reader that the project has", async () => {
    await copyFile(
      new URL("vega-datasets/data/flights-3m.parquet", installed),
      join(project.root, "flights.parquet"),
    );
    await link("hyparquet");
    expect(await project.ccl(["catalog", "import", "--files", "*.parquet"])).toMatchObject({
      code: 0,
    });
    expect(await project.json(["catalog", "show", "res:file.flights.parquet"])).toMatchObject({
      document: { overview: { shape: { rows_est: 3_000_000 } } },
    });
  });

  it.runIf(isInCi)("asks an MCP server behind an address, with a token", async () => {
    const seen = new Set<string | undefined>();
    const server = await serve((request, response) => {
      seen.add(request.headers.authorization);
      void answerMcp(request, response);
    });
    try {
      const args = [
        "catalog",
        "import",
        "--mcp",
        `http://127.0.0.1:${server.port}/mcp`,
        "--token-env",
        "MCP_TOKEN",
      ];
      const run = await project.json([...args, "--name", "crm"], {
        env: { MCP_TOKEN: "t0k3n-value" },
      });
      expect(run).toMatchObject({
        code: 0,
        document: { changes: [{ id: "res:mcp.crm.find_customer", kind: "added" }] },
      });
      expect([...seen]).toEqual(["Bearer t0k3n-value"]);
      expect(await everyText()).not.toContain("t0k3n");
    } finally {
      await server.close();
    }
  });

  it("reads PostgreSQL where one is running, and elsewhere says that none answers", async () => {
    const url = process.env["CCL_POSTGRES_URL"];
    if (url === undefined)
      console.warn("CCL_POSTGRES_URL is not set: only the refusal of a connection is tested.");
    await link("pg");
    const env = { SHOP_URL: url ?? "postgres://nobody:hidden-word@127.0.0.1:1/none" };
    const args = [
      "catalog",
      "import",
      "--sql",
      "env:SHOP_URL",
      "--name",
      "shop",
      "--schema",
      "ccl_cli_test",
    ];
    await runSql(
      url,
      "CREATE SCHEMA ccl_cli_test; CREATE TABLE ccl_cli_test.orders (id int PRIMARY KEY, amount numeric)",
    );
    try {
      const run = await project.ccl(args, { env });
      const expected =
        url === undefined
          ? { code: 8, stdout: "" }
          : { code: 0, stdout: "additive\tadded\tres:db.pg.shop.ccl_cli_test.orders\t\t\t\n" };
      expect(run).toMatchObject(expected);
      expect(run.stdout + run.stderr + (await everyText().catch(() => ""))).not.toContain(
        env.SHOP_URL,
      );
    } finally {
      await runSql(url, "DROP SCHEMA ccl_cli_test CASCADE");
    }
  });

  it.each([
    ["no source", [], "usage", 2],
    ["a database that is not there", ["--sql", "sqlite:none.sqlite"], "source_failed", 8],
    ["a file that is no database", ["--sql", "sqlite:note.txt"], "source_failed", 8],
    ["an address of another kind", ["--sql", "mysql://host/db"], "usage", 2],
    ["an empty variable", ["--sql", "env:NOTHING_HERE"], "usage", 2],
    ["a document that is no OpenAPI", ["--openapi", "note.txt"], "input_invalid", 2],
    [
      "a command that is not there",
      ["--mcp", "no-such-program serve", "--name", "none"],
      "source_failed",
      8,
    ],
    ["a server without a name", ["--mcp", "node dist/index.js"], "usage", 2],
    ["a pattern that matches nothing", ["--files", "*.parquet"], "source_failed", 8],
    ["lines that are no resources", ["--jsonl", "note.txt"], "input_invalid", 2],
    ["a name for two sources", ["--name", "a", "--jsonl", "a", "--jsonl", "b"], "usage", 2],
  ])("refuses %s", async (_, args, code, exitCode) => {
    await writeFile(join(project.root, "note.txt"), "A note, no data.\n");
    const run = await project.json(["catalog", "import", ...args]);
    expect(run).toMatchObject({ code: exitCode, document: { error: { code } } });
    await expect(readdir(folder())).rejects.toThrow("ENOENT");
  });

  it("does not take one database for another of its name, unless told that it moved", async () => {
    await importSql();
    await mkdir(join(project.root, "other"));
    await project.sql(
      `DROP TABLE stocks; VACUUM INTO '${join(project.root, "other", "data.sqlite")}'`,
    );
    const other = ["catalog", "import", "--sql", "sqlite:other/data.sqlite"];
    expect(await project.json(other)).toMatchObject({
      code: 2,
      document: { error: { code: "usage" } },
    });
    expect(await project.json([...other, "--name", "data"])).toMatchObject({
      code: 0,
      document: { changes: [{ id: stocks, kind: "removed" }] },
    });
  });
});

describe("the folder of a catalog", () => {
  it("takes over the lock of a process that has ended", async () => {
    await importSql();
    await project.sql("CREATE TABLE trades (id INTEGER)");
    const owner = JSON.stringify({ pid: 2 ** 22 + 1, host: (await import("node:os")).hostname() });
    await writeFile(join(folder(), ".lock"), owner);
    expect(await project.ccl(["catalog", "import"])).toMatchObject({ code: 0 });
    await expect(readFile(join(folder(), ".lock"))).rejects.toThrow("ENOENT");
  });

  it("loses nothing when two imports meet: one of them is told to run again", async () => {
    await project.ccl(["catalog", "init"]);
    await writeFile(join(project.root, "a.jsonl"), '{"id":"bus:a","kind":"bus","title":"A"}\n');
    await writeFile(join(project.root, "b.jsonl"), '{"id":"bus:b","kind":"bus","title":"B"}\n');
    const one = (name: string): Promise<{ code: number }> =>
      project.ccl(["catalog", "import", "--jsonl", name]);
    const codes = (await Promise.all([one("a.jsonl"), one("b.jsonl")])).map(({ code }) => code);
    expect(codes).toContain(0);
    expect(codes.filter((code) => code !== 0 && code !== 5)).toEqual([]);
    expect([await one("a.jsonl"), await one("b.jsonl")]).toMatchObject([{ code: 0 }, { code: 0 }]);
    const { document } = await project.json(["catalog", "search", "bus"]);
    expect(JSON.stringify(document)).toContain("bus:a");
    expect(JSON.stringify(document)).toContain("bus:b");
  });

  it.each([
    ["overview.jsonl", '{"id":1}\n', "search"],
    ["sources.json", '{"version":2}\n', "verify"],
    ["details/stray.json", "{}\n", "search"],
  ])("is refused, with what is wrong, when %s is damaged", async (name, text, command) => {
    await importSql();
    await writeFile(join(folder(), name), text);
    expect(
      await project.json(["catalog", command, ...(command === "search" ? ["stocks"] : [])]),
    ).toMatchObject({
      code: 2,
      document: { error: { code: "damaged" } },
    });
  });
});

describe("ccl catalog search, show, context and docs", () => {
  it("prints hits with their scores, and what a score is made of", async () => {
    await importSql();
    const plain = await project.ccl(["catalog", "search", "stocks"]);
    expect(plain.stdout).toMatch(
      new RegExp(`^\\d\\.\\d{3}\t${stocks}\ttabular\tstocks \\(sqlite\\.data\\)\tsymbol:str`),
    );
    const { document } = await project.json(["catalog", "search", "stocks", "--explain"]);
    expect(document).toMatchObject({
      hits: [{ id: stocks, explain: { text: 1 } }, { explain: { neighbourOf: stocks } }],
    });
    const explained = await project.ccl(["catalog", "search", "stocks", "--explain"], {
      isTerminal: true,
      env: { NO_COLOR: "1" },
    });
    expect(explained.stdout).toMatch(/^score {2}id\s+text\s+vector\s+recency/);
    const missed = await project.ccl(["catalog", "search", "stocks zeppelin"]);
    expect(missed.stderr).toContain("in no resource: zeppelin");
  });

  it("shows a card, and names what is near where there is none", async () => {
    await importSql();
    const { stdout } = await project.ccl(["catalog", "show", companies]);
    expect(stdout.replace(/updated: .*/, "updated: (time)").replace(/schema \w+/, "schema (hash)"))
      .toMatchInlineSnapshot(`
      "companies (sqlite.data)
      id: res:db.sqlite.data.companies
      kind: tabular
      uri: ada://any/db/sqlite:data/companies
      tags: data
      rows: 5
      can: scan, filter, project, aggregate, sort, limit, join
      pushdown: filter, project, aggregate, window, sort, limit, join
      updated: (time)
      rev: 1, schema (hash)

      symbol	text	pk	
      name	text	not null	

      snippet sql:
        SELECT symbol, name FROM companies ORDER BY symbol LIMIT 50
      "
    `);
    expect(await project.ccl(["catalog", "show", "stocks"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`Similar: ${stocks}`),
    });
  });

  it("never gives a context beyond its budget, and leaves personal columns to their owner", async () => {
    await importSql();
    await editDetails(companies, (card) => {
      card["columns"] = [
        { name: "symbol", type: "text", pk: true },
        { name: "name", type: "text", nn: true, tags: ["pii"] },
      ];
    });
    for (const budget of [60, 120, 400, 2_000]) {
      const { document } = await project.json([
        "catalog",
        "context",
        "--task",
        "price of stocks",
        "--budget",
        `${budget}`,
      ]);
      expect(document).toMatchObject({ budget, counter: "o200k_base", tokens: expect.any(Number) });
      const tokens =
        typeof document === "object" ? Number(Reflect.get({ ...document }, "tokens")) : Number.NaN;
      expect(tokens).toBeLessThanOrEqual(budget);
    }
    const context = await project.ccl([
      "catalog",
      "context",
      "--task",
      "stocks of companies",
      "--budget",
      "2000",
    ]);
    expect(context.stdout).toContain("  price real");
    expect(context.stdout).not.toContain("  name text");
    expect((await project.ccl(["catalog", "docs", "--out", "-"])).stdout).not.toContain("`name`");
    expect((await project.ccl(["catalog", "show", companies])).stdout).toContain("[pii]");
    expect(
      await project.json(["catalog", "context", "--task", "x", "--budget", "1"]),
    ).toMatchObject({
      code: 4,
      document: { error: { code: "budget_exceeded" } },
    });
  });

  it("writes resources.md, which the catalog does not take for its own", async () => {
    await importSql();
    expect(await project.json(["catalog", "docs", "--title", "Data"])).toMatchObject({
      code: 0,
      document: { resources: 2, written: [join(folder(), "resources.md")] },
    });
    expect(await readFile(join(folder(), "resources.md"), "utf8")).toMatch(
      /^# Data\n\n\| id \| kind/,
    );
    expect(await project.ccl(["catalog", "verify"])).toMatchObject({ code: 0 });
  });
});

describe("ccl catalog verify", () => {
  it("finds what changed at the source with exit code 3, and brings it up to date", async () => {
    await importSql();
    expect(await project.ccl(["catalog", "verify"])).toMatchObject({ code: 0 });
    await project.sql("ALTER TABLE stocks RENAME COLUMN price TO close_price");
    expect(await project.json(["catalog", "verify"])).toMatchObject({
      code: 3,
      document: {
        counts: { breaking: 2 },
        findings: [{ code: "column_renamed" }, { code: "snippet_unknown_column" }],
      },
    });
    expect(await project.json(["catalog", "verify", "--update"])).toMatchObject({
      document: { updated: [stocks] },
    });
    expect(await project.json(["catalog", "show", stocks])).toMatchObject({
      document: { overview: { rev: 2 }, details: { columns: [{}, {}, { name: "close_price" }] } },
    });
    expect(await project.json(["catalog", "import"])).toMatchObject({
      code: 0,
      document: { counts: { breaking: 0 } },
    });
    expect(await project.ccl(["catalog", "verify"])).toMatchObject({ code: 0 });
  });

  it("tells a source that does not answer apart, by exit code 8", async () => {
    await importSql();
    await rm(join(project.root, "data.sqlite"));
    const { code, stdout } = await project.ccl(["catalog", "verify"]);
    expect(code).toBe(8);
    expect(stdout).toContain("Not everything could be verified.");
  });
});

describe("ccl catalog diff", () => {
  const git = async (...args: string[]): Promise<void> => {
    const who = [
      "-c",
      "user.name=t",
      "-c",
      "user.email=t@example.org",
      "-c",
      "commit.gpgsign=false",
    ];
    await promisify(execFile)("git", ["-C", project.root, ...who, ...args]);
  };

  it("compares with a commit, where a catalog that was not there yet is empty", async () => {
    await git("init", "-q");
    await git("commit", "-q", "--allow-empty", "-m", "Nothing");
    await importSql();
    expect(await project.json(["catalog", "diff"])).toMatchObject({
      document: { counts: { additive: 2 } },
    });
    await git("add", ".ccl");
    await git("commit", "-q", "-m", "Catalog");
    expect(await project.ccl(["catalog", "diff"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "Since HEAD: no changes\n",
    });
    await project.sql("ALTER TABLE stocks DROP COLUMN price");
    await project.ccl(["catalog", "import"]);
    const run = await project.ccl(["catalog", "diff", "--fail-on", "breaking"]);
    expect(run.code).toBe(3);
    expect(run.stdout).toContain(
      `breaking\tcolumn_removed\t${stocks} (rev 2)\tcolumns.price\tprice:real\t\n`,
    );
    expect(await project.json(["catalog", "diff", "HEAD~1"])).toMatchObject({
      document: { counts: { additive: 2 } },
    });
    expect(await project.json(["catalog", "diff", "no-such-branch"])).toMatchObject({ code: 2 });
  });

  it("compares with a snapshot", async () => {
    await importSql();
    expect(await project.json(["catalog", "diff", "--save", "before.jsonl"])).toMatchObject({
      document: { resources: 2 },
    });
    await project.sql("DROP TABLE stocks");
    await project.ccl(["catalog", "import"]);
    const against = ["catalog", "diff", "--against", "before.jsonl"];
    expect(await project.json(against)).toMatchObject({
      code: 0,
      document: { changes: [{ id: stocks, kind: "removed", severity: "breaking" }] },
    });
    expect(await project.json([...against, "--fail-on", "breaking"])).toMatchObject({ code: 3 });
  });
});

async function serve(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer(handle);
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close: () => new Promise((settle) => server.close(() => settle())),
  };
}

/** Gives the project a library, as if it had installed it. */
async function link(name: string): Promise<void> {
  await mkdir(join(project.root, "node_modules"));
  await symlink(
    fileURLToPath(new URL(name, installed)),
    join(project.root, "node_modules", name),
    "junction",
  );
}

async function runSql(url: string | undefined, text: string): Promise<void> {
  if (url === undefined) return;
  const { Client } = createRequire(new URL("../../catalog/package.json", import.meta.url))("pg");
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(text);
  await client.end();
}

/** A server with one tool, as the SDK makes one. */
async function answerMcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const server = new McpServer({ name: "crm", version: "1.0.0" });
  server.registerTool("find_customer", { description: "Finds a customer." }, () => ({
    content: [],
  }));
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.server.connect(transport);
  await transport.handleRequest(request, response);
}
