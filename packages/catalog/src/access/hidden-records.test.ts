import { createScriptedEmbedder } from "@ccl/core/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Catalog } from "../catalog/catalog.ts";
import { createCatalog } from "../catalog/create-catalog.ts";
import type { ResourceInput } from "../record/resource-record.ts";
import { createMemorySearchIndex } from "../search/create-memory-search-index.ts";
import type { SearchIndex } from "../search/search-index.ts";
import type { AccessOptions, RoleRights } from "./access-options.ts";

const words = ["order", "user", "invoice", "city", "amount", "country", "note", "total"];
const word = fc.constantFrom(...words);
const rule = fc.oneof(
  fc.boolean(),
  fc.record({ tags: fc.subarray(["a", "b", "c"], { minLength: 1 }) }),
);
const role: fc.Arbitrary<RoleRights> = fc.record(
  {
    overview: rule,
    details: rule,
    pii: rule,
    columns: fc.constant<RoleRights["columns"]>((column) => column["hide"] !== true),
    sections: fc.constant<RoleRights["sections"]>(["columns", "description"]),
  },
  { requiredKeys: ["overview"] },
);
const shape = fc.record({
  tag: fc.constantFrom("a", "b", "c"),
  database: fc.integer({ min: 0, max: 2 }),
  title: fc.array(word, { minLength: 1, maxLength: 3 }),
  description: fc.array(word, { maxLength: 6 }),
  columns: fc.array(
    fc.record({
      name: word,
      key: fc.option(fc.integer({ min: 0, max: 11 }), { nil: undefined }),
      hide: fc.boolean(),
      isPersonal: fc.boolean(),
    }),
    { maxLength: 4 },
  ),
});
const input = fc.record({
  shapes: fc.array(shape, { minLength: 2, maxLength: 12 }),
  roles: fc.array(role, { minLength: 1, maxLength: 2 }),
  task: fc.array(word, { minLength: 1, maxLength: 4 }),
  hasEmbedder: fc.boolean(),
});
type Input = typeof input extends fc.Arbitrary<infer Value> ? Value : never;

function resourcesOf({ shapes }: Input): ResourceInput[] {
  const nameOf = (at: number): string => `db${shapes[at]?.database ?? 9}.table${at}x`;
  return shapes.map(({ tag, title, description, columns }, at) => ({
    id: `res:${nameOf(at)}`,
    kind: "tabular",
    title: title.join(" "),
    tags: [tag],
    updated_at: "2026-01-01T00:00:00Z",
    description: description.join(" "),
    columns: columns.map(({ name, key, hide, isPersonal }, of) => ({
      name: `${name}_${of}`,
      type: "int",
      hide,
      ...(key === undefined ? {} : { fk: `${nameOf(key)}.id` }),
      ...(isPersonal ? { tags: ["pii"] } : {}),
    })),
  }));
}

/** The same resources later, after changes that no principal of the test may see. */
function changed(resources: readonly ResourceInput[]): ResourceInput[] {
  return resources.map((resource) => ({
    ...resource,
    columns: (resource.columns ?? []).map((column) =>
      column["hide"] === true ? { ...column, type: "text" } : column,
    ),
  }));
}

async function answersOf(catalog: Catalog, ids: string[], given: Input): Promise<unknown> {
  const principal = { roles: given.roles.map((_, at) => `role${at}`) };
  const text = given.task.join(" ");
  return {
    overview: await catalog.overview({ principal }),
    found: await catalog.search({ principal, text, limit: 5 }),
    typo: await catalog.search({ principal, text: "invoyce ordre table3x" }),
    details: await catalog.details(ids, { principal }),
    context: await catalog.budgetedContext({ principal, task: text, budget: 700 }),
    history: await Promise.all(ids.map((id) => catalog.history(id, { principal }))),
  };
}

/**
 * Compares what a principal sees of a catalog with what it sees of one that contains only its
 * visible part.
 */
async function compare(given: Input, createIndex: () => SearchIndex): Promise<void> {
  const resources = resourcesOf(given);
  const access: AccessOptions = {
    roles: Object.fromEntries(given.roles.map((rights, at) => [`role${at}`, rights])),
  };
  const open = async (records: ResourceInput[]): Promise<Catalog> => {
    const embedder = given.hasEmbedder ? createScriptedEmbedder() : undefined;
    const clock = { now: () => 0 };
    const catalog = createCatalog({ access, embedder, clock, index: createIndex() });
    expect((await catalog.register(records)).ok).toBe(true);
    return catalog;
  };
  const all = await open(resources);
  const principal = { roles: Object.keys(access.roles) };
  const { items } = await all.overview({ principal, pageSize: 1_000 });
  const seen = new Set(items.map(({ id }) => id));
  const rest = await open(resources.filter(({ id }) => seen.has(id)));
  const [whole, fewer] = [
    await answersOf(all, [...seen], given),
    await answersOf(rest, [...seen], given),
  ];
  expect(whole).toEqual(fewer);
  const told = JSON.stringify(whole);
  const hidden = resources.map(({ id }) => id).filter((id) => !seen.has(id));
  expect(hidden.filter((id) => told.includes(id.slice(4)))).toEqual([]);
}

/**
 * An index that counts over all documents and hides them afterwards, so its filter comes too late.
 */
function createLeakyIndex(): SearchIndex {
  const index = createMemorySearchIndex();
  return {
    ...index,
    async searchText({ filter, limit, ...query }, options) {
      const found = await index.searchText({ ...query, limit: 1_000 }, options);
      const hits = found.hits.filter(({ id }) => filter?.allow?.has(id) !== false);
      return { ...found, hits: hits.slice(0, limit) };
    },
  };
}

describe("hidden records", () => {
  it("change no revision, hash or history if a hidden column or key changes", async () => {
    const access: AccessOptions = {
      roles: {
        a: { details: true, columns: (column) => column["hide"] !== true },
        all: { details: true, pii: true },
      },
    };
    const principal = { roles: ["a"] };
    const first: ResourceInput[] = [
      {
        id: "res:db.t",
        kind: "tabular",
        title: "t",
        columns: [
          { name: "id", type: "int" },
          { name: "pay", type: "int", hide: true },
        ],
      },
    ];
    const catalog = createCatalog({ access, clock: { now: () => 0 } });
    const told = async (): Promise<unknown> => ({
      overview: await catalog.overview({ principal }),
      details: await catalog.details(["res:db.t"], { principal }),
      history: await catalog.history("res:db.t", { principal }),
    });
    await catalog.register(first);
    const before = await told();
    await catalog.register(changed(first));
    expect(await told()).toEqual(before);
    // The control: a principal that sees everything sees the change.
    const { items } = await catalog.overview({ principal: { roles: ["all"] } });
    expect(items[0]?.rev).toBe(2);
  });

  it("change nothing that a principal sees", async () => {
    const { numRuns = 200 } = fc.readConfigureGlobal();
    await fc.assert(
      fc.asyncProperty(input, (given) => compare(given, createMemorySearchIndex)),
      { numRuns: Math.ceil(numRuns / 8) },
    );
  }, 60_000);

  it("are detected in an index that filters too late", async () => {
    const run = fc.assert(
      fc.asyncProperty(input, (given) => compare(given, createLeakyIndex)),
      { endOnFailure: true },
    );
    await expect(run).rejects.toThrow("Property failed");
  }, 60_000);
});
