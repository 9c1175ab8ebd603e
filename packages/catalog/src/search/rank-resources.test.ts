import { describe, expect, it } from "vitest";

import type { ResourceRecord } from "../record/resource-record.ts";
import { createMemorySearchIndex } from "./create-memory-search-index.ts";
import {
  rankResources,
  type RankedResources,
  type RankResourcesOptions,
} from "./rank-resources.ts";

const recordOf = (id: string, fields: Partial<ResourceRecord> = {}): ResourceRecord => ({
  id,
  kind: "tabular",
  title: id,
  tags: [],
  schema_digest: [],
  cap: [],
  updated_at: "2026-01-01T00:00:00Z",
  schema_hash: "",
  cap_hash: "",
  rev: 1,
  ...fields,
});
const clock = { now: (): number => Date.parse("2026-01-01T00:00:00Z") };

const rank = async (
  records: readonly (ResourceRecord & { vector?: Float32Array })[],
  options: Partial<RankResourcesOptions>,
): Promise<RankedResources> => {
  const index = createMemorySearchIndex();
  await index.put(
    records.map(({ vector, ...record }) =>
      vector === undefined ? { record } : { record, vector },
    ),
  );
  const byId = new Map(records.map((record) => [record.id, record]));
  const lookup = async (ids: readonly string[]): Promise<ResourceRecord[]> =>
    ids
      .flatMap((id) => byId.get(id) ?? [])
      .filter(({ id }) => options.filter?.allow?.has(id) !== false);
  return rankResources({ index, lookup, clock, limit: 10, ...options });
};
const idsOf = ({ hits }: RankedResources): string[] => hits.map(({ id }) => id);

const shop = [
  recordOf("res:db.pg.main.public.orders", {
    columns: [{ name: "user_id", fk: "public.users.id" }, { name: "amount" }],
  }),
  recordOf("res:db.pg.main.public.users", { columns: [{ name: "email" }] }),
  recordOf("res:db.pg.main.public.logs", { columns: [{ name: "line" }] }),
];

describe("rankResources", () => {
  it("adds the table that a hit's foreign key names, and explains why", async () => {
    const answer = await rank(shop, { text: "order amounts" });
    expect(idsOf(answer)).toEqual(["res:db.pg.main.public.orders", "res:db.pg.main.public.users"]);
    expect(answer.hits[1]?.explain).toMatchObject({ neighbourOf: "res:db.pg.main.public.orders" });
    expect(answer.hits[1]?.score).toBeCloseTo((answer.hits[0]?.score ?? 0) * 0.7, 10);
  });

  it.each([
    ["the limit is full", { limit: 1 }],
    ["it is excluded", { filter: { exclude: ["res:db.pg.main.public.users"] } }],
    [
      "the principal may not see it",
      { filter: { allow: new Set(["res:db.pg.main.public.orders"]) } },
    ],
  ])("leaves out the neighbour if %s", async (_name, options) => {
    expect(idsOf(await rank(shop, { text: "order amounts", ...options }))).toEqual([
      "res:db.pg.main.public.orders",
    ]);
  });

  it.each(["res:db.pg.main.public.users", "res:db.pg.main.public.users.id", "users.id", "users"])(
    "resolves the foreign key %j",
    async (fk) => {
      const orders = recordOf("res:db.pg.main.public.orders", { columns: [{ name: "user", fk }] });
      const users = recordOf("res:db.pg.main.public.users", { title: "accounts" });
      expect(idsOf(await rank([orders, users], { text: "orders" }))).toEqual([orders.id, users.id]);
    },
  );

  it("returns no hits and the unmatched words if nothing fits", async () => {
    expect(await rank(shop, { text: "zebra" })).toEqual({
      hits: [],
      unmatchedTerms: ["zebra"],
      coverage: 0,
    });
    expect(await rank([], { text: "orders" })).toEqual({
      hits: [],
      unmatchedTerms: ["orders"],
      coverage: 0,
    });
    expect(await rank(shop, {})).toEqual({ hits: [], unmatchedTerms: [], coverage: 1 });
  });

  it("finds by meaning what no word finds, and also scores word hits by their vectors", async () => {
    const records = [
      { ...recordOf("res:a", { title: "invoices" }), vector: Float32Array.from([1, 0]) },
      { ...recordOf("res:b", { title: "bills" }), vector: Float32Array.from([0.9, 0.1]) },
      { ...recordOf("res:c", { title: "weather" }), vector: Float32Array.from([0, 1]) },
    ];
    const answer = await rank(records, {
      text: "invoices",
      vector: Float32Array.from([1, 0]),
      limit: 2,
    });
    expect(idsOf(answer)).toEqual(["res:a", "res:b"]);
    const nearer = Array.from({ length: 100 }, (_, at) => ({
      ...recordOf(`res:bill${at}`, { title: "bills" }),
      vector: Float32Array.from([1, 0]),
    }));
    const late = await rank([...records, ...nearer], {
      text: "weather",
      vector: Float32Array.from([1, 0]),
      limit: 1,
    });
    expect(late.hits[0]?.explain.vector).toBe(0);
  });

  it("prefers the fresher of two similar records, by the injected clock", async () => {
    const records = [
      recordOf("res:a", { title: "sales", container: "x", updated_at: "2025-01-01T00:00:00Z" }),
      recordOf("res:b", { title: "sales", container: "y", updated_at: "2025-12-31T00:00:00Z" }),
    ];
    expect(idsOf(await rank(records, { text: "sales" }))).toEqual(["res:b", "res:a"]);
  });

  it("prefers records with the capabilities that the task needs", async () => {
    const records = [
      recordOf("res:a", { title: "sales", container: "x" }),
      recordOf("res:b", { title: "sales", container: "y", cap: ["aggregate"] }),
    ];
    expect(idsOf(await rank(records, { text: "sales" }))).toEqual(["res:a", "res:b"]);
    expect(idsOf(await rank(records, { text: "average of sales" }))).toEqual(["res:b", "res:a"]);
  });
});
