import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type CatalogProject, createCatalogProject } from "./__fixtures__/catalog-project.ts";

let project: CatalogProject;

beforeAll(async () => {
  project = await createCatalogProject();
  await mkdir(join(project.root, "data"));
  await writeFile(
    join(project.root, "data", "sectors.csv"),
    "symbol,sector\nMSFT,software\nIBM,hardware\n",
  );
  const { code } = await project.ccl([
    "catalog",
    "import",
    "--sql",
    "sqlite:data.sqlite",
    "--files",
    "data/",
  ]);
  if (code !== 0) throw new Error("The catalog was not imported.");
});

afterAll(() => project.remove());

describe("ccl query", () => {
  it("runs SQL on the one database that it reads", async () => {
    const sql = "select symbol, count(*) as days from stocks group by 1 order by 2 desc, 1 limit 2";
    const { code, stdout } = await project.ccl(["query", sql, "--format", "csv"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "symbol,days\nAAPL,123\nAMZN,123\n" });
  });

  it.each([
    ["--json", ["query", "--json"]],
    ["--format json", ["query", "--format", "json"]],
    ["the page", ["ui", "query"]],
  ])("writes integers beyond JSON's safe range as strings, for %s", async (_, args) => {
    const sql = `${args[0] === "ui" ? "sql=" : ""}select 9007199254740993 as n`;
    const { code, stdout } = await project.ccl([...args, sql]);
    expect(code).toBe(0);
    expect(stdout).toContain('"n": "9007199254740993"');
  });

  it("joins a database and a file", async () => {
    const sql =
      "select sector, max(price) as top from stocks join sectors using (symbol) group by 1 order by 1";
    expect(await project.json(["query", sql])).toMatchObject({
      code: 0,
      document: { rows: [{ sector: "hardware" }, { sector: "software" }], ranOn: "DuckDB" },
    });
  });

  it("runs a plan", async () => {
    await writeFile(
      join(project.root, "plan.txt"),
      "scan(res:db.sqlite.data.companies)→agg(count() as n)",
    );
    const { code, stdout } = await project.ccl(["query", "--plan", "plan.txt", "--format", "json"]);
    expect({ code, rows: JSON.parse(stdout) }).toEqual({ code: 0, rows: [{ n: 5 }] });
  });

  it("names the nearest column of a statement that is wrong, and refuses to write", async () => {
    const wrong = await project.ccl(["query", "select prise from stocks"]);
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean "price"?'),
    });
    expect(await project.json(["query", "delete from stocks"])).toMatchObject({
      code: 2,
      document: { error: { code: "plan_invalid", issues: [{ code: "statement_refused" }] } },
    });
  });
});
