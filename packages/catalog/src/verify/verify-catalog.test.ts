import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { createPostgresSession, type PostgresClient } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CatalogError } from "../catalog-error.ts";
import { createCatalog } from "../catalog/create-catalog.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { fromSqlDatabase } from "../importers/from-sql-database.ts";
import type { ResourceInput } from "../record/resource-record.ts";
import { importProbe } from "./import-probe.ts";
import { createVerifyReport } from "./verify-report.ts";
import {
  renderVerifyReport,
  sqlProbe,
  verifyCatalog,
  type ResourceProbe,
  type VerifyFinding,
  type VerifyOptions,
  type VerifyReport,
} from "./index.ts";
import { isAtLeast } from "../../../../scripts/lengths/test-length.mjs";

async function catalogOf(resources: readonly ResourceInput[]): Promise<Catalog> {
  const catalog = createCatalog();
  const result = await catalog.register(resources);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return catalog;
}

const codesOf = ({ findings }: VerifyReport): string[] =>
  findings.map(({ severity, code, path }) => [severity, code, path ?? ""].join(" ").trim());

const url = process.env["CCL_POSTGRES_URL"];
if (url === undefined)
  console.warn("CCL_POSTGRES_URL is not set: drift in PostgreSQL is tried on PGlite only.");

describe.runIf(isAtLeast("ci"))("verifyCatalog against a database", () => {
  let client: PostgresClient & (PGlite | pg.Pool);
  const schemas = ["verify_tests"];
  const name = "main";

  beforeAll(async () => {
    client = url === undefined ? await PGlite.create() : new pg.Pool({ connectionString: url });
  });
  beforeEach(async () => {
    await createPostgresSession(client)
      .exec(`DROP SCHEMA IF EXISTS verify_tests CASCADE; CREATE SCHEMA verify_tests;
      CREATE TABLE verify_tests.users (id int PRIMARY KEY, full_name text NOT NULL, city varchar(40));
      CREATE TABLE verify_tests.orders (id int PRIMARY KEY, user_id int REFERENCES verify_tests.users, amount numeric(12,2));`);
  });
  afterAll(async () => {
    await createPostgresSession(client).exec("DROP SCHEMA verify_tests CASCADE");
    await ("end" in client ? client.end() : client.close());
  });

  async function imported(): Promise<Catalog> {
    return catalogOf(await fromSqlDatabase(client, { name, schemas }));
  }
  const verified = (
    catalog: Catalog,
    options: Partial<VerifyOptions> = {},
  ): Promise<VerifyReport> =>
    verifyCatalog(catalog, { probes: [sqlProbe(client, { name, schemas })], ...options });

  it("finds nothing right after an import", async () => {
    const report = await verified(await imported());
    expect(report).toEqual({
      resources: 2,
      probed: 2,
      snippets: 2,
      findings: [],
      counts: { unverified: 0, breaking: 0, warning: 0, notice: 0 },
      updated: [],
      exitCode: 0,
    });
    expect(renderVerifyReport(report)).toBe(
      "The catalog is up to date. resources: 2, probed: 2, snippets checked: 2; no findings\n",
    );
  });

  it("reports every kind of column drift, and snippets that no longer run", async () => {
    const catalog = await imported();
    await createPostgresSession(client)
      .exec(`ALTER TABLE verify_tests.orders DROP COLUMN amount, ADD COLUMN note text;
      ALTER TABLE verify_tests.orders DROP CONSTRAINT orders_user_id_fkey;
      ALTER TABLE verify_tests.users RENAME COLUMN full_name TO fullname;
      ALTER TABLE verify_tests.users ALTER COLUMN city TYPE text, DROP CONSTRAINT users_pkey;
      ALTER TABLE verify_tests.users ALTER COLUMN id DROP NOT NULL, ALTER COLUMN id TYPE text;`);
    const report = await verified(catalog);
    expect(report.exitCode).toBe(1);
    expect(renderVerifyReport(report)).toMatchInlineSnapshot(`
      "The catalog is not what its sources are. resources: 2, probed: 2, snippets checked: 2; 8 breaking, 1 warning, 1 notice

      res:db.pg.main.verify_tests.orders
        breaking column_removed columns.amount: The source no longer has this column
        breaking key_changed columns.user_id: The column no longer points there (verify_tests.users.id -> nothing)
        breaking snippet_unknown_column usage.snippets.0: The snippet names the column "amount", and there is none

      res:db.pg.main.verify_tests.users
        breaking column_renamed columns.full_name: The column is named "fullname" now (full_name -> fullname)
        breaking key_changed columns.id: The column is no longer part of the primary key
        breaking nulls_allowed columns.id: The column may be null now
        breaking snippet_unknown_column usage.snippets.0: The snippet names the column "full_name", and there is none
        breaking type_changed columns.id: The type is another (integer -> text)
        warning type_changed columns.city: The type is another one of its kind (character varying(40) -> text)

      res:db.pg.main.verify_tests.orders
        notice column_added columns.note: The source has a column that the catalog lacks, of type text
      "
    `);
  });

  it("reports a missing table", async () => {
    const catalog = await imported();
    await createPostgresSession(client).exec("DROP TABLE verify_tests.orders");
    const report = await verified(catalog);
    expect(codesOf(report)).toEqual([
      "breaking missing",
      "breaking snippet_unknown_table usage.snippets.0",
    ]);
  });

  it("updates the catalog, keeps texts that people wrote, and finds nothing the next time", async () => {
    const resources = await fromSqlDatabase(client, { name, schemas });
    for (const resource of resources) {
      for (const column of resource.columns ?? []) {
        column.unit = `unit of ${column.name}`;
        column.description = `By hand for ${column.name}.`;
      }
      resource.owner = "team.data";
      resource["note"] = "by hand";
      resource.usage = { anti_patterns: ["select *"] };
    }
    const catalog = await catalogOf(resources);
    await createPostgresSession(client).exec(
      `ALTER TABLE verify_tests.users RENAME COLUMN full_name TO fullname;
      COMMENT ON COLUMN verify_tests.users.fullname IS 'A comment of the database.'`,
    );
    const report = await verified(catalog, { update: (changed) => catalog.register(changed) });
    expect(report).toMatchObject({ exitCode: 0, updated: ["res:db.pg.main.verify_tests.users"] });
    expect(report.findings.every((finding) => finding.isUpdated === true)).toBe(true);
    expect(await verified(catalog)).toMatchObject({ exitCode: 0, findings: [] });
    const { items } = await catalog.details(["res:db.pg.main.verify_tests.users"]);
    expect(items[0]).toMatchObject({
      note: "by hand",
      columns: [
        { name: "id", unit: "unit of id" },
        {
          name: "fullname",
          unit: "unit of full_name",
          description: "By hand for full_name.",
        },
        { name: "city" },
      ],
      usage: { anti_patterns: ["select *"] },
    });
    const { items: rows } = await catalog.overview({ ids: ["res:db.pg.main.verify_tests.users"] });
    expect(rows[0]?.owner).toBe("team.data");
    expect(rows[0]?.schema_digest).toContainEqual(expect.stringMatching(/^fullname:/));
  });

  it("reports that the catalog rejects the update", async () => {
    const catalog = await imported();
    await createPostgresSession(client).exec("ALTER TABLE verify_tests.users DROP COLUMN city");
    const refusals = [
      async () => ({ ok: false, issues: [{ code: "x", path: [], message: "no" }] }),
      async () => Promise.reject(new Error("disk full")),
    ];
    for (const update of refusals) {
      const report = await verified(catalog, { update });
      expect(codesOf(report)).toContain("unverified update_failed");
      expect(report).toMatchObject({ exitCode: 2, updated: [] });
    }
  });

  it("compares only the digest if a resource has no columns", async () => {
    const uri = "ada://any/db/pg:main/verify_tests.users";
    const schema_digest = ["id:int", "full_name:int", "phone:str"];
    const catalog = await catalogOf([
      { id: "res:users", kind: "tabular", title: "users", uri, schema_digest },
    ]);
    expect(codesOf(await verified(catalog))).toEqual([
      "warning resource_added",
      "breaking digest_stale schema_digest",
      "breaking digest_stale schema_digest",
    ]);
  });

  it("treats spellings of the same type as equal", async () => {
    const uri = "ada://any/db/pg:main/verify_tests.orders";
    const columns = [
      { name: "id", type: "int4", pk: true, nn: true },
      { name: "user_id", type: "int", fk: "users.id" },
      { name: "amount", type: "DECIMAL(12, 2)" },
    ];
    const catalog = await catalogOf([
      { id: "res:orders", kind: "tabular", title: "orders", uri, columns },
    ]);
    const report = await verified(catalog);
    expect(codesOf(report)).toEqual(["warning resource_added"]);
    expect(report.exitCode).toBe(0);
  });

  it("finds added and dropped tables, and registers or removes them", async () => {
    const catalog = await catalogOf(await fromSqlDatabase(client, { name, schemas }));
    await createPostgresSession(client).exec(
      "CREATE TABLE verify_tests.refunds (id int PRIMARY KEY); DROP TABLE verify_tests.orders",
    );
    expect(codesOf(await verified(catalog))).toEqual(
      expect.arrayContaining(["breaking missing", "warning resource_added"]),
    );
    const report = await verified(catalog, {
      update: (resources) => catalog.register(resources),
      retire: (ids) => catalog.remove(ids),
    });
    expect(report).toMatchObject({ exitCode: 0 });
    expect(report.updated).toEqual([
      "res:db.pg.main.verify_tests.refunds",
      "res:db.pg.main.verify_tests.orders",
    ]);
    expect((await catalog.overview({})).items.map(({ id }) => id)).not.toContain(
      "res:db.pg.main.verify_tests.orders",
    );
    expect(codesOf(await verified(catalog))).toEqual([]);
  });

  it("does not report hidden columns as new", async () => {
    const resources = await fromSqlDatabase(client, { name, schemas });
    for (const column of resources.flatMap(({ columns }) => columns ?? [])) {
      if (column.name === "full_name") column.tags = ["pii"];
    }
    const catalog = await catalogOf(resources);
    await createPostgresSession(client).exec("ALTER TABLE verify_tests.users DROP COLUMN city");
    const update = async (): Promise<never> => Promise.reject(new Error("nothing may be written"));
    const codes = codesOf(await verified(catalog, { update }));
    expect(codes).toContain("notice columns_hidden");
    expect(codes).toContain("breaking column_removed columns.city");
    expect(codes).not.toContain("notice column_added columns.full_name");
    expect(codes).not.toContain("unverified update_failed");
  });

  it("reports a source that fails or does not answer, without its secrets", async () => {
    const catalog = await imported();
    const message = "connect to postgres://app:hunter2secret@db failed";
    const broken: PostgresClient = { query: () => Promise.reject(new Error(message)) };
    const failed = await verifyCatalog(catalog, { probes: [sqlProbe(broken, { name })] });
    expect(codesOf(failed)).toEqual(["unverified unreachable", "unverified unreachable"]);
    expect(JSON.stringify(failed)).not.toContain("hunter2secret");
    const silent: PostgresClient = { query: () => new Promise(() => undefined) };
    const timedOut = await verifyCatalog(catalog, {
      probes: [sqlProbe(silent, { name })],
      timeoutMs: 20,
    });
    expect(codesOf(timedOut)).toEqual(["unverified timed_out", "unverified timed_out"]);
    expect(timedOut.exitCode).toBe(2);
  });

  it("stops when aborted, whatever a probe does", async () => {
    const catalog = await imported();
    const controller = new AbortController();
    const silent: PostgresClient = {
      query: () => {
        controller.abort();
        return new Promise(() => undefined);
      },
    };
    const call = verifyCatalog(catalog, {
      probes: [sqlProbe(silent, { name })],
      signal: controller.signal,
    });
    const error: unknown = await call.catch((reason: unknown) => reason);
    expect(CatalogError.isInstance(error) && error.code).toBe("aborted");
  });
});

describe("verifyCatalog against SQLite with public data", () => {
  it("reports a dropped column as breaking", async () => {
    const data = join(
      dirname(createRequire(import.meta.url).resolve("vega-datasets")),
      "..",
      "data",
    );
    const [header = "", ...lines] = readFileSync(join(data, "stocks.csv"), "utf8")
      .trim()
      .split(/\r?\n/);
    const database = await openSqlite({ path: ":memory:", durability: "off" });
    database.exec(`CREATE TABLE stocks (${header})`);
    const insert = database.prepare("INSERT INTO stocks VALUES (?, ?, ?)");
    for (const line of lines) insert.run(...line.split(","));
    const catalog = await catalogOf(await fromSqlDatabase(database));
    const probes = [sqlProbe(database)];
    expect(await verifyCatalog(catalog, { probes })).toMatchObject({
      exitCode: 0,
      findings: [],
      probed: 1,
      snippets: 1,
    });
    database.exec("ALTER TABLE stocks DROP COLUMN price");
    expect(codesOf(await verifyCatalog(catalog, { probes }))).toEqual([
      "breaking column_removed columns.price",
      "breaking snippet_unknown_column usage.snippets.0",
    ]);
    database.close();
  });
});

describe("verifyCatalog", () => {
  const resource = (snippets: { engine: string; code: string }[]): ResourceInput => {
    return {
      id: "res:x",
      kind: "tabular",
      title: "x",
      columns: [{ name: "a" }],
      usage: { snippets },
    };
  };

  it("passes snippets to the linter of their engine, and reports a failing linter", async () => {
    const catalog = await catalogOf([
      resource(["bad", "good", "throw", "odd"].map((code) => ({ engine: "IR", code }))),
    ]);
    const issue = { code: "unknown_op", path: [], message: "there is no such operation" };
    const report = await verifyCatalog(catalog, {
      probes: [],
      snippetLinters: {
        ir: ({ code }) => {
          if (code === "throw") throw new Error("boom");
          if (code === "odd") return [{ ...issue, severity: "warning" }];
          return code === "bad" ? [issue] : [];
        },
      },
    });
    expect(report).toMatchObject({ snippets: 4, exitCode: 2 });
    expect(codesOf(report)).toEqual([
      "unverified linter_failed usage.snippets.2",
      "notice not_probed",
      "breaking snippet_issue usage.snippets.0",
      "warning snippet_issue usage.snippets.3",
    ]);
  });

  it("reads catalogs with many pages and cards with many windows", async () => {
    const many = Array.from({ length: 1_203 }, (_, index): ResourceInput => {
      return { id: `res:${index}`, kind: "kv", title: "x", columns: [{ name: "a" }] };
    });
    const snippets = Array.from({ length: 250 }, (_, index) => ({
      engine: "http",
      code: `GET /${index}`,
    }));
    const catalog = await catalogOf([...many, resource(snippets)]);
    const report = await verifyCatalog(catalog, { probes: [] });
    expect(report.resources).toBe(1_204);
    expect(report.findings.filter(({ code }) => code === "snippet_unchecked")).toHaveLength(250);
  });

  it("reports a denied card", async () => {
    const catalog = createCatalog({ access: { roles: {} } });
    await catalog.register([resource([])]);
    expect(codesOf(await verifyCatalog(catalog, { probes: [] }))).toEqual([
      "unverified card_denied",
    ]);
  });

  it("probes no more sources at once than allowed", async () => {
    let now = 0;
    let max = 0;
    const probe: ResourceProbe = {
      name: "counting",
      handles: () => true,
      begin: () => ({
        async probe() {
          now += 1;
          max = Math.max(max, now);
          await new Promise((resolve) => setImmediate(resolve));
          now -= 1;
          return { state: "available" };
        },
      }),
    };
    const catalog = await catalogOf(
      Array.from({ length: 30 }, (_, index) => ({ id: `res:${index}`, kind: "kv", title: "x" })),
    );
    const report = await verifyCatalog(catalog, { probes: [probe] });
    expect({ max, probed: report.probed }).toEqual({ max: 4, probed: 30 });
  });

  it.each([{ timeoutMs: 0 }, { timeoutMs: Number.NaN }, { timeoutMs: 1.5 }])(
    "rejects %j",
    async (options) => {
      const error: unknown = await verifyCatalog(createCatalog(), { probes: [], ...options }).catch(
        (reason: unknown) => reason,
      );
      expect(CatalogError.isInstance(error) && error.code).toBe("invalid_options");
    },
  );

  it("renders names from sources without line breaks", async () => {
    const hostile = "x | </td><script>alert(1)</script>\n# heading\u202E `code` [a](javascript:b)";
    const probe: ResourceProbe = {
      name: "hostile",
      handles: () => true,
      begin: () => ({ probe: async () => ({ state: "available", columns: [{ name: hostile }] }) }),
    };
    const report = await verifyCatalog(await catalogOf([resource([])]), { probes: [probe] });
    expect(renderVerifyReport(report)).toMatchInlineSnapshot(`
      "The catalog is not what its sources are. resources: 1, probed: 1, snippets checked: 0; 1 breaking, 1 notice

      res:x
        breaking column_removed columns.a: The source no longer has this column
        notice column_added columns.x | </td><script>alert(1)</script> # heading \`code\` [a](javascript:b): The source has a column that the catalog lacks, of type any
      "
    `);
  });
});

describe("renderVerifyReport", () => {
  const unchecked = (resourceId: string): VerifyFinding => {
    return {
      severity: "notice",
      code: "snippet_unchecked",
      resourceId,
      path: "usage.snippets.0",
      message: "No linter",
    };
  };

  it("shows a notice once if more than three resources share it, otherwise one by one", () => {
    const totals = { resources: 4, probed: 4, snippets: 0, updated: [] };
    const rendered = (ids: string[]): string[] =>
      renderVerifyReport(createVerifyReport(ids.map(unchecked), totals))
        .split("\n")
        .slice(2);
    expect(rendered(["res:a", "res:b", "res:c", "res:d"])).toEqual([
      "res:a and 3 more",
      "  notice snippet_unchecked: No linter",
      "",
    ]);
    expect(
      rendered(["res:a", "res:b", "res:c"]).filter((line) => line.startsWith("res:")),
    ).toHaveLength(3);
  });
});

describe("importProbe", () => {
  it("distinguishes operations with the same address, and follows one whose id changed", async () => {
    const uri = "https://api.example.org/orders";
    const operation = (id: string, column: string): ResourceInput => {
      return { id, kind: "api", title: id, uri, columns: [{ name: column, type: "string" }] };
    };
    const moved: ResourceInput = {
      id: "res:api.old",
      kind: "api",
      title: "Old",
      uri: `${uri}/moved`,
      columns: [],
    };
    const catalog = await catalogOf([
      operation("res:api.list", "page"),
      operation("res:api.create", "body"),
      moved,
    ]);
    const load = async (): Promise<ResourceInput[]> => [
      operation("res:api.list", "page"),
      operation("res:api.create", "body"),
      { ...moved, id: "res:api.new" },
    ];
    const probe = importProbe({ name: "api", uriPrefix: "https://api.example.org/", load });
    expect(codesOf(await verifyCatalog(catalog, { probes: [probe] }))).toEqual([]);
    await catalog.register([operation("res:api.replace", "body")]);
    expect(codesOf(await verifyCatalog(catalog, { probes: [probe] }))).toEqual([
      "breaking missing",
    ]);
  });
});
