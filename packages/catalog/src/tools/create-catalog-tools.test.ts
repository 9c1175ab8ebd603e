import { estimatedCounter } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { createCatalog } from "../catalog/create-catalog.ts";
import { createCatalogTools } from "./create-catalog-tools.ts";

async function tools(maxTokens?: number): Promise<ReturnType<typeof createCatalogTools>> {
  const catalog = createCatalog();
  const columns = Array.from({ length: 12 }, (_, at) => ({ name: `c${at}`, type: "int" }));
  await catalog.register(
    ["orders", "order lines", "order notes"].map((title) => ({
      id: `res:db.a.${title}`,
      kind: "tabular",
      title,
      columns,
    })),
  );
  return createCatalogTools(catalog, maxTokens === undefined ? {} : { maxTokens });
}

describe("createCatalogTools", () => {
  it("finds resources, and returns their details in windows", async () => {
    const [search, details] = await tools();
    expect(await search.execute({ query: "order lines zyzzyva" }, {})).toMatchInlineSnapshot(`
      "[no resource has: zyzzyva]
      res:db.a.order lines | tabular | order lines: c0:int c1:int c2:int c3:int c4:int
      res:db.a.orders | tabular | orders: c0:int c1:int c2:int c3:int c4:int
      res:db.a.order notes | tabular | order notes: c0:int c1:int c2:int c3:int c4:int"
    `);
    expect(await details.execute({ ids: ["res:db.a.orders", "none\nforged"] }, {}))
      .toMatchInlineSnapshot(`
        "## orders
        id: res:db.a.orders
        kind: tabular
        columns:
          c0 int
          c1 int
          c2 int
          c3 int
          c4 int
          c5 int
          c6 int
          c7 int
          c8 int
          c9 int
        [cut: of 12 columns and 0 snippets in all, the next with cursor "columns=10;snippets=0"]
        [no resource "none forged"]"
      `);
    expect(await details.execute({ ids: ["order_lines"] }, {})).toBe(
      '[no resource "order_lines"; nearest: res:db.a.order lines, res:db.a.orders, res:db.a.order notes]',
    );
    expect(
      await details.execute({ ids: ["res:db.a.orders"], cursor: "columns=10;snippets=0" }, {}),
    ).toContain("c11 int");
  });

  it("shows the first resources if none matches", async () => {
    const [search] = await tools();
    expect(await search.execute({ query: "zyzzyva", limit: 1 }, {})).toMatchInlineSnapshot(`
      "[no resource has: zyzzyva]
      res:db.a.order lines | tabular | order lines: c0:int c1:int c2:int c3:int c4:int"
    `);
  });

  it("keeps its answers within the token limit, and reports cuts", async () => {
    const [search, details] = await tools(60);
    for (const text of [
      await search.execute({ query: "order" }, {}),
      await details.execute({ ids: ["res:db.a.orders"] }, {}),
    ]) {
      expect(estimatedCounter.count(text)).toBeLessThanOrEqual(60);
      expect(text).toContain("[cut:");
    }
  });

  it("explains what is wrong with an invalid input", async () => {
    const [search, details] = await tools();
    const hostile: unknown = JSON.parse('{"ids":[],"cursor":"x","query":""}');
    if (!isAny(hostile)) throw new Error("unreachable");
    expect(await search.execute(hostile, {})).toMatch(/^\[the input does not fit: query/);
    expect(await details.execute(hostile, {})).toMatch(/^\[the input does not fit: ids/);
    expect(await details.execute({ ids: ["a"], cursor: "x" }, {})).toMatch(/is not a cursor/);
  });
});

function isAny(value: unknown): value is { query: string; ids: string[] } {
  return typeof value === "object";
}
