import { createFixedClock, createScriptedEmbedder } from "@ccl/core/testing";
import type { Embedder } from "@ccl/core";
import { createMemoryRecords } from "@ccl/records";
import { describe, expect, it } from "vitest";

import type { ResourceInput } from "../record/resource-record.ts";
import { listResources } from "../store/list-resources.ts";
import { createCatalog } from "./create-catalog.ts";

const orders: ResourceInput = {
  id: "res:db.pg.main.public.orders",
  uri: "ada://any/db/pg:main/public.orders",
  kind: "tabular",
  title: "orders (pg.main)",
  description: "Every order with its amount; the source of revenue.",
  tags: ["orders", "sales", "fresh:realtime", "lifecycle:stable"],
  shape: { rows_est: "1e7" },
  cap: ["scan", "filter", "aggregate"],
  columns: [
    { name: "id", type: "int", nn: true, pk: true },
    { name: "user_id", type: "int", fk: "public.users.id" },
    { name: "created_at", type: "timestamp", index: "btree" },
    { name: "amount", type: "numeric(12,2)", unit: "USD" },
    { name: "status", type: "text" },
    { name: "note", type: "text" },
    { name: "email", type: "text", tags: ["pii"] },
  ],
  usage: {
    snippets: [
      { engine: "sql", code: "SELECT date(created_at) d, sum(amount) FROM orders GROUP BY 1" },
      { engine: "sql", code: "SELECT email FROM orders" },
    ],
    anti_patterns: ["select *", "grouping by email"],
  },
  quality: { freshness_sla_s: 120, null_rate: { user_id: 0.01, email: 0.5 } },
  x_team: { floor: 3 },
};
const weather: ResourceInput = {
  id: "api:weather/forecast",
  kind: "api",
  title: "Forecast",
  tags: ["weather"],
};
const clock = createFixedClock(Date.parse("2026-01-01T00:00:00Z"));

describe("createCatalog", () => {
  it("registers a resource with only an id, a kind and a title, and finds it", async () => {
    const catalog = createCatalog({ clock });
    expect(await catalog.register([orders, weather])).toMatchObject({
      ok: true,
      value: { added: [orders.id, weather.id], changed: [], unchanged: [], warnings: [] },
    });
    const found = await catalog.search({ text: "daily revenue of orders" });
    expect(found.hits[0]?.id).toBe(orders.id);
    expect(found.vectorLeg).toBe("absent");
    expect(found.facetCounts["kind"]).toEqual([{ value: "tabular", count: 1 }]);
    expect((await catalog.search({ text: "forecast zyzzyva" })).unmatchedTerms).toEqual([
      "zyzzyva",
    ]);
  });

  it("derives digest, shape and hashes, and keeps unknown members", async () => {
    const records = createMemoryRecords();
    const catalog = createCatalog({ clock, records });
    await catalog.register([orders]);
    const [stored] = await listResources(records);
    expect(stored).toMatchObject({
      x_team: { floor: 3 },
      rev: 1,
      shape: { rows_est: "1e7", cols: 7 },
      updated_at: "2026-01-01T00:00:00.000Z",
    });
    const { items } = await catalog.overview();
    expect(items[0]?.schema_digest).toMatchInlineSnapshot(`
      [
        "id:int",
        "user_id:int",
        "created_at:ts",
        "amount:num",
        "status:str",
      ]
    `);
    expect(items[0]?.shape).toEqual({ rows_est: "1e7", cols: 6 });
  });

  it("rejects a whole batch for one issue, and reports every issue", async () => {
    const catalog = createCatalog();
    const batch: unknown[] = [
      orders,
      { kind: "api", title: 7 },
      weather,
      weather,
      { ...orders, id: "a\nb" },
    ];
    const result = await catalog.register(batch.filter(isInput));
    const found = result.ok
      ? []
      : result.issues.map(({ code, path }) => `${code} ${path.join(".")}`);
    expect(found.sort()).toEqual([
      "duplicate_id 3.id",
      "invalid_resource 1.id",
      "invalid_resource 1.title",
      "invalid_resource 4.id",
    ]);
    expect((await catalog.overview()).pageInfo.total).toBe(0);
  });

  it("increments rev with the schema or a capability, and records each change in the history", async () => {
    const catalog = createCatalog({ clock });
    await catalog.register([orders]);
    const columns = (orders.columns ?? []).map((column) =>
      column.name === "created_at" ? { ...column, name: "created_on" } : column,
    );
    expect(await catalog.register([orders])).toMatchObject({ value: { unchanged: [orders.id] } });
    await catalog.register([{ ...orders, description: "Orders." }]);
    await catalog.register([{ ...orders, description: "Orders.", columns }]);
    const history = await catalog.history(orders.id);
    expect(history.map(({ kind, rev }) => [kind, rev])).toEqual([
      ["registered", 1],
      ["changed", 1],
      ["changed", 2],
    ]);
    const open = createCatalog({ clock, access: { roles: { all: { details: true, pii: true } } } });
    await open.register([orders]);
    await open.register([{ ...orders, columns }]);
    const [, change] = await open.history(orders.id, { principal: { roles: ["all"] } });
    expect(change?.changes).toMatchObject([
      { kind: "column_renamed", from: "created_at", to: "created_on" },
    ]);
    const guarded = await catalog.history(orders.id);
    expect(guarded.map(({ changes }) => changes.length)).toEqual([0, 0, 0]);
    expect(await catalog.remove([orders.id, "unknown"])).toEqual([orders.id]);
    expect((await catalog.history(orders.id)).at(-1)?.kind).toBe("removed");
    expect((await catalog.search({ text: "orders" })).hits).toEqual([]);
  });

  it("returns cards in windows with cursors, without personal columns or texts that name them", async () => {
    const catalog = createCatalog();
    await catalog.register([orders]);
    const { items, missing } = await catalog.details([orders.id, "nothing"], { columnLimit: 4 });
    expect(missing).toEqual(["nothing"]);
    expect(items[0]).toMatchObject({
      truncated: true,
      total: { columns: 6, snippets: 1 },
      next: "columns=4;snippets=1",
    });
    expect(JSON.stringify(items)).not.toContain("email");
    const next = await catalog.details(["1"], {
      aliases: { 1: orders.id },
      cursor: items[0]?.next ?? "",
      columnLimit: 4,
    });
    expect(next.items[0]?.columns?.map(({ name }) => name)).toEqual(["status", "note"]);
    expect(next.items[0]?.next).toBeUndefined();
    await expect(catalog.details([orders.id], { cursor: "columns=-1" })).rejects.toMatchObject({
      code: "invalid_options",
    });
  });

  it("marks a digest that no longer matches the columns", async () => {
    const catalog = createCatalog();
    await catalog.register([{ ...orders, schema_digest: ["id:int", "gone:str", "amount:str"] }]);
    const { items } = await catalog.details([orders.id]);
    expect(items[0]?.stale_digest).toEqual(["gone:str", "amount:str"]);
  });

  it("masks secrets before it stores them, and warns", async () => {
    const records = createMemoryRecords();
    const catalog = createCatalog({ records });
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const result = await catalog.register([
      {
        ...weather,
        uri: `https://x.example/?k=${secret}`,
        connector: { password: "hunter2hunter2" },
      },
    ]);
    expect(result).toMatchObject({
      ok: true,
      value: { warnings: [{ code: "secret_masked" }, { code: "secret_masked" }] },
    });
    const stored = JSON.stringify(await records.list());
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain("hunter2");
  });

  it("pages overviews by id, by given ids, and by a query", async () => {
    const catalog = createCatalog();
    await catalog.register(
      Array.from({ length: 25 }, (_, at) => ({
        ...weather,
        id: `api:w/${at + 10}`,
        title: `T ${at}`,
      })),
    );
    const second = await catalog.overview({ page: 2, pageSize: 10 });
    expect(second.items.map(({ id }) => id)[0]).toBe("api:w/20");
    expect(second.pageInfo).toEqual({ page: 2, pageSize: 10, total: 25, pages: 3, hasNext: true });
    const picked = await catalog.overview({ ids: ["api:w/12", "none", "api:w/11"] });
    expect(picked.items.map(({ id }) => id)).toEqual(["api:w/12", "api:w/11"]);
    expect((await catalog.overview({ facets: { kind: "tabular" } })).items).toEqual([]);
    await expect(catalog.overview({ page: 0 })).rejects.toMatchObject({ code: "invalid_options" });
    await expect(catalog.search({ limit: 0 })).rejects.toMatchObject({ code: "invalid_options" });
  });

  it("sees what another catalog writes to the same records", async () => {
    const records = createMemoryRecords();
    const [one, two] = [createCatalog({ records }), createCatalog({ records })];
    await one.register([orders]);
    expect((await two.search({ text: "orders" })).hits).toHaveLength(1);
    await two.register([weather]);
    await one.remove([orders.id]);
    expect((await two.overview()).items.map(({ id }) => id)).toEqual([weather.id]);
    const writers = Array.from({ length: 6 }, (_, at) =>
      (at % 2 === 0 ? one : two).register([{ ...weather, description: `by ${at}` }]),
    );
    expect((await Promise.all(writers)).every(({ ok }) => ok)).toBe(true);
  });
});

describe("createCatalog with an embedder", () => {
  it("embeds each text once, across catalogs and changes", async () => {
    const embedder = createScriptedEmbedder();
    const records = createMemoryRecords();
    await createCatalog({ records, embedder }).register([orders, weather]);
    const asked = embedder.requests.flat().length;
    const again = createCatalog({ records, embedder });
    expect((await again.search({ text: "forecast" })).vectorLeg).toBe("used");
    expect(embedder.requests.flat()).toHaveLength(asked + 1);
    await again.register([{ ...weather, owner: "team" }]);
    expect(embedder.requests.flat()).toHaveLength(asked + 1);
  });

  it("neither loads nor stores the vector of a query", async () => {
    const records = createMemoryRecords();
    const catalog = createCatalog({ records, embedder: createScriptedEmbedder() });
    await catalog.register([orders, weather]);
    const unexpected = (): never => expect.unreachable();
    Object.assign(records, { getMany: unexpected, write: unexpected });
    expect(await catalog.search({ text: "what was bought" })).toMatchObject({ vectorLeg: "used" });
    expect(await catalog.search({ text: " " })).toMatchObject({ vectorLeg: "absent" });
  });

  const failing: [string, Partial<Embedder>][] = [
    ["fails", { embed: () => Promise.reject(new Error("down")) }],
    [
      "throws at once",
      {
        embed: () => {
          throw new Error("down");
        },
      },
    ],
    ["never answers", { embed: () => new Promise(() => undefined) }],
    ["returns too few vectors", { embed: async () => [] }],
    [
      "returns vectors of another length",
      { embed: async (texts) => texts.map(() => new Float32Array(3)) },
    ],
    [
      "returns vectors that are not numbers",
      { embed: async (texts) => texts.map(() => new Float32Array(64).fill(Number.NaN)) },
    ],
  ];
  it.each(failing)(
    "still finds the same by words, and reports it, when it %s",
    async (_, fault) => {
      const embedder = { ...createScriptedEmbedder(), ...fault };
      const catalog = createCatalog({ embedder, embedTimeoutMs: 20, clock });
      const result = await catalog.register([orders, weather]);
      expect(result).toMatchObject({
        ok: true,
        value: { warnings: [{ code: "embedding_failed" }] },
      });
      const bare = createCatalog({ clock });
      await bare.register([orders, weather]);
      const [with_, without] = await Promise.all(
        [catalog, bare].map((one) => one.search({ text: "orders revenue" })),
      );
      expect(with_?.vectorLeg).toBe("failed");
      expect(with_?.hits).toEqual(without?.hits);
    },
  );

  it("stops waiting when the call is aborted", async () => {
    const controller = new AbortController();
    const embedder: Embedder = {
      name: "slow",
      dimensions: 4,
      embed: () => {
        controller.abort();
        return new Promise(() => undefined);
      },
    };
    const catalog = createCatalog({ embedder });
    await expect(catalog.register([orders], { signal: controller.signal })).rejects.toMatchObject({
      code: "aborted",
    });
    expect((await catalog.overview()).pageInfo.total).toBe(1);
  });
});

function isInput(value: unknown): value is ResourceInput {
  return typeof value === "object";
}
