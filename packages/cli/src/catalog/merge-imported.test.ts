import {
  createCatalog,
  listResources,
  type ResourceInput,
  type ResourceRecord,
} from "@ccl/catalog";
import { createMemoryRecords } from "@ccl/records";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { mergeImported } from "./merge-imported.ts";

const name = fc.constantFrom("a", "b", "c", "d");
const text = fc.constantFrom("one", "two", "three");
const column = fc.record(
  { name, type: text, description: text, unit: text, nn: fc.boolean() },
  { requiredKeys: ["name", "type"], noNullPrototype: true },
);
const resource: fc.Arbitrary<ResourceInput> = fc.record(
  {
    id: fc.constant("res:x"),
    kind: fc.constant("tabular"),
    title: text,
    description: text,
    owner: text,
    cap: fc.uniqueArray(text),
    tags: fc.uniqueArray(text),
    columns: fc.uniqueArray(column, { minLength: 1, selector: (each) => each.name }),
    usage: fc.record(
      { anti_patterns: fc.uniqueArray(text, { minLength: 1 }) },
      { noNullPrototype: true },
    ),
  },
  { requiredKeys: ["id", "kind", "title", "cap"], noNullPrototype: true },
);

/** The record that a catalog makes of an input. */
async function recordOf(input: ResourceInput): Promise<ResourceRecord> {
  const records = createMemoryRecords();
  await createCatalog({ records }).register([input]);
  const [stored] = await listResources(records);
  if (stored === undefined) throw new Error("nothing was stored");
  return stored;
}

/** Apart from what the catalog fills in, and what is empty. */
async function contentOf(input: ResourceInput): Promise<ResourceRecord> {
  const { updated_at: _, derived: __, ...record } = await recordOf(input);
  return await recordOf({ ...record, updated_at: "2025-01-01" });
}

describe("mergeImported", () => {
  it("gives what the source says where nobody wrote anything", async () => {
    await fc.assert(
      fc.asyncProperty(resource, resource, async (base, incoming) => {
        const merged = mergeImported({ base, current: await recordOf(base), incoming });
        expect(await contentOf(merged)).toEqual(await contentOf(incoming));
      }),
    );
  });

  it("keeps every edit where the source is as it was", async () => {
    await fc.assert(
      fc.asyncProperty(resource, resource, async (base, edited) => {
        const merged = mergeImported({ base, current: await recordOf(edited), incoming: base });
        expect(await contentOf(merged)).toEqual(await contentOf(edited));
      }),
    );
  });

  it.each([
    [
      "words of people",
      { description: "old" },
      { description: "mine" },
      { description: "new" },
      { description: "mine" },
    ],
    ["types of the source", { mime: "old" }, { mime: "mine" }, { mime: "new" }, { mime: "new" }],
    [
      "tags of both",
      { tags: ["a", "b"] },
      { tags: ["a", "mine"] },
      { tags: ["a", "b", "c"] },
      { tags: ["a", "c", "mine"] },
    ],
  ])("of two that changed one thing keeps the %s", async (_, base, edited, incoming, expected) => {
    const one = { id: "res:x", kind: "tabular", title: "x" };
    const current = await recordOf({ ...one, ...edited });
    expect(
      mergeImported({ base: { ...one, ...base }, current, incoming: { ...one, ...incoming } }),
    ).toMatchObject(expected);
  });

  it("tells a parameter from a field of the answer that has its name", async () => {
    const one = { id: "res:x", kind: "api", title: "x" };
    const columns = [
      { name: "currency", in: "path", type: "string" },
      { name: "currency", in: "output", type: "string" },
    ];
    const edited = columns.map((each) =>
      each.in === "path" ? { ...each, description: "ISO 4217" } : each,
    );
    const incoming = columns.map((each) => ({ ...each, nn: true }));
    const current = await recordOf({ ...one, columns: edited });
    expect(
      mergeImported({ base: { ...one, columns }, current, incoming: { ...one, columns: incoming } })
        .columns,
    ).toEqual([
      { name: "currency", in: "path", type: "string", nn: true, description: "ISO 4217" },
      { name: "currency", in: "output", type: "string", nn: true },
    ]);
  });
});
