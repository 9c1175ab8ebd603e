import { describe, expect, it } from "vitest";

import { createCatalog } from "../catalog/create-catalog.ts";
import type { ResourceInput } from "../record/resource-record.ts";
import type { AccessOptions } from "./access-options.ts";
import { indexVariants, resourceIdOf, variantIdsOf } from "./search-variants.ts";

const access: AccessOptions = {
  roles: {
    all: { details: true },
    outside: {},
    undescribed: { details: true, sections: ["columns"] },
    bare: { details: true, columns: ({ name }) => name !== "salary" },
  },
};
const people = (title: string, extra: Partial<ResourceInput> = {}): ResourceInput => ({
  id: "res:people",
  kind: "tabular",
  title,
  description: "Wherever zebras live, with their ibanumber.",
  tags: ["team:hr"],
  examples: [{ task: "count quokkas" }],
  columns: [
    { name: "person", type: "int" },
    { name: "salary", type: "int" },
    { name: "ibanumber", type: "text", tags: ["pii"] },
  ],
  ...extra,
});
const roles = Object.keys(access.roles);

async function rolesThatFind(
  catalog: ReturnType<typeof createCatalog>,
  text: string,
): Promise<string[]> {
  const found: string[] = [];
  for (const role of roles) {
    const { hits } = await catalog.search({ text, principal: { roles: [role] } });
    if (hits.length > 0) found.push(role);
    expect(hits.map(({ id }) => id)).toEqual(hits.map(() => "res:people"));
  }
  return found;
}

describe("a search", () => {
  it.each([
    ["humans", roles],
    ["zebras", ["all"]],
    ["salary", ["all", "outside", "undescribed"]],
    ["quokkas", ["all", "outside", "undescribed"]],
    ["ibanumber", []],
  ])("finds a resource by %s only for principals that may read it", async (text, expected) => {
    const catalog = createCatalog({ access });
    await catalog.register([people("humans")]);
    expect(await rolesThatFind(catalog, text)).toEqual(expected);
  });

  it("finds neither old texts nor removed resources, for any principal", async () => {
    const catalog = createCatalog({ access });
    await catalog.register([people("humans")]);
    await catalog.register([people("staff", { examples: [] })]);
    expect(await rolesThatFind(catalog, "humans")).toEqual([]);
    expect(await rolesThatFind(catalog, "quokkas")).toEqual([]);
    expect(await rolesThatFind(catalog, "staff")).toEqual(roles);
    await catalog.remove(["res:people"]);
    expect(await rolesThatFind(catalog, "staff")).toEqual([]);
  });

  it("leaves out excluded ids, and shows only requested ones", async () => {
    const catalog = createCatalog({ access });
    const other = { ...people("humans"), id: "res:other" };
    await catalog.register([people("humans"), other]);
    for (const role of roles) {
      const principal = { roles: [role] };
      const exclude = ["res:other", "res:none"];
      expect((await catalog.search({ text: "humans", exclude, principal })).hits).toHaveLength(1);
      expect((await catalog.search({ exclude, principal })).hits).toHaveLength(1);
      const { items } = await catalog.overview({ ids: ["res:other", "res:none"], principal });
      expect(items.map(({ id }) => id)).toEqual(["res:other"]);
      const asked = await catalog.overview({ ids: ["res:other"], query: "humans", principal });
      expect(asked.items.map(({ id }) => id)).toEqual(["res:other"]);
    }
  });
});

it("lists every entry that a record can have, so that all of them are removed", () => {
  const record = {
    id: "res:people",
    kind: "tabular",
    title: "humans",
    tags: [],
    schema_digest: [],
    schema_hash: "1",
    cap: [],
    cap_hash: "2",
    rev: 1,
    updated_at: "2030-01-01T00:00:00.000Z",
  };
  const entries = indexVariants(record, access).map(({ id }) => id);
  expect(new Set(entries).size).toBe(3);
  expect(variantIdsOf(record.id).toSorted()).toEqual(entries.toSorted());
  expect(entries.map(resourceIdOf)).toEqual(entries.map(() => record.id));
});
