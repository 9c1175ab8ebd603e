import type { SearchFilter } from "@ccl/search";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { CatalogError } from "../catalog-error.ts";
import type { ResourceRecord } from "../record/resource-record.ts";
import { createMemorySearchIndex, type MemorySearchIndex } from "./create-memory-search-index.ts";
import type { SearchDocument } from "./search-index.ts";

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

const vocabulary = [
  "order",
  "orders",
  "customer",
  "cust",
  "revenue",
  "city",
  "заказ",
  "выручка",
  "a",
  "id",
  "table",
];
const textArbitrary = fc
  .array(fc.constantFrom(...vocabulary), { maxLength: 6 })
  .map((words) => words.join(" "));
const idArbitrary = fc.constantFrom(
  ...Array.from({ length: 12 }, (_, at) => `res:db.d${at % 3}.t${at}`),
);
const vectorArbitrary = fc.option(
  fc
    .array(fc.integer({ min: -5, max: 5 }), { minLength: 3, maxLength: 3 })
    .map((values) => Float32Array.from(values)),
  { nil: undefined },
);
const documentArbitrary = fc
  .record({
    id: idArbitrary,
    title: textArbitrary,
    description: textArbitrary,
    kind: fc.constantFrom("tabular", "api"),
    tags: fc.subarray(["shop", "pii:none", "fresh:realtime", "lifecycle:stable"]),
    columns: fc.array(
      fc.constantFrom("id", "customer_id", "orderDate", "amt").map((name) => ({ name })),
      { maxLength: 3 },
    ),
    vector: vectorArbitrary,
  })
  .map(({ vector, id, ...fields }): SearchDocument => {
    const record = recordOf(id, fields);
    return vector === undefined ? { record } : { record, vector };
  });
const changeArbitrary = fc.oneof(
  { weight: 3, arbitrary: fc.array(documentArbitrary, { maxLength: 5 }).map((put) => ({ put })) },
  { weight: 1, arbitrary: fc.array(idArbitrary, { maxLength: 4 }).map((remove) => ({ remove })) },
);

type Change = { put: SearchDocument[] } | { remove: string[] };

const applyAll = async (
  changes: readonly Change[],
): Promise<{ index: MemorySearchIndex; left: SearchDocument[] }> => {
  const index = createMemorySearchIndex();
  const left = new Map<string, SearchDocument>();
  for (const change of changes) {
    if ("put" in change) {
      await index.put(change.put);
      for (const document of change.put) left.set(document.record.id, document);
    } else {
      await index.remove(change.remove);
      for (const id of change.remove) left.delete(id);
    }
  }
  return { index, left: [...left.values()] };
};

const filled = async (records: readonly ResourceRecord[]): Promise<MemorySearchIndex> => {
  const index = createMemorySearchIndex();
  await index.put(records.map((record) => ({ record })));
  return index;
};

const answersOf = async (
  index: MemorySearchIndex,
  text: string,
  filter?: SearchFilter,
): Promise<unknown> => {
  const asked = filter === undefined ? {} : { filter };
  const vector = Float32Array.from([1, -2, 3]);
  return {
    text: await index.searchText({ text, limit: 5, ...asked }),
    vector: await index.searchVector({ vector, limit: 5, ...asked }),
    facets: await index.countFacets({ limit: 10, ...asked }),
  };
};

const { numRuns = 200 } = fc.readConfigureGlobal();

describe("createMemorySearchIndex", () => {
  it("answers and saves after any changes as if it had been built in one step", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(changeArbitrary, { maxLength: 12 }),
        textArbitrary,
        async (changes, text) => {
          const { index, left } = await applyAll(changes);
          const rebuilt = createMemorySearchIndex();
          await rebuilt.put(left.toReversed());
          expect(index.size()).toBe(left.length);
          expect(await answersOf(index, text)).toEqual(await answersOf(rebuilt, text));
          expect(index.save()).toEqual(rebuilt.save());
        },
      ),
      { numRuns: numRuns / 2 },
    );
  });

  it("answers the same before and after it is saved and restored, in both precisions", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(documentArbitrary, { maxLength: 12 }),
        textArbitrary,
        fc.constantFrom("float32" as const, "int8" as const),
        async (documents, text, vectors) => {
          const index = createMemorySearchIndex({ vectors });
          await index.put(documents);
          const restored = createMemorySearchIndex({ vectors });
          restored.restore(index.save());
          expect(await answersOf(restored, text)).toEqual(await answersOf(index, text));
          expect(restored.save()).toEqual(index.save());
        },
      ),
      { numRuns: numRuns / 2 },
    );
  });

  it("finds and counts under a filter as if the other documents did not exist", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(documentArbitrary, { maxLength: 12, selector: ({ record }) => record.id }),
        fc.array(idArbitrary, { maxLength: 8 }),
        fc.array(idArbitrary, { maxLength: 3 }),
        textArbitrary,
        async (documents, allowed, exclude, text) => {
          const index = createMemorySearchIndex();
          await index.put(documents);
          const allow = new Set(allowed);
          const filter = { allow, exclude, facets: { kind: ["api"], lifecycle: "stable" } };
          const isVisible = ({ record }: SearchDocument): boolean =>
            allow.has(record.id) &&
            !exclude.includes(record.id) &&
            record.kind === "api" &&
            record.tags.includes("lifecycle:stable");
          const visible = new Set(documents.filter(isVisible).map(({ record }) => record.id));
          const alone = createMemorySearchIndex();
          await alone.put(documents.filter(isVisible));
          const hits = await index.searchText({ text, limit: 100, filter });
          const expected = await alone.searchText({ text, limit: 100 });
          expect(new Set(hits.hits.map(({ id }) => id))).toEqual(
            new Set(expected.hits.map(({ id }) => id)),
          );
          expect(hits.unmatchedTerms).toEqual(expected.unmatchedTerms);
          expect(hits.coverage).toBeCloseTo(expected.coverage, 10);
          const near = await index.searchVector({
            vector: Float32Array.from([1, 2, 3]),
            limit: 100,
            filter,
          });
          expect(near.every(({ id }) => visible.has(id))).toBe(true);
          expect(await index.countFacets({ limit: 10, filter })).toEqual(
            await alone.countFacets({ limit: 10 }),
          );
        },
      ),
    );
  });

  it("applies the filter before the limit", async () => {
    const records = Array.from({ length: 500 }, (_, at) =>
      recordOf(`res:${String(at).padStart(3, "0")}`, {
        title: at < 490 ? "order order order" : "order",
        tags: at < 490 ? [] : ["rare"],
      }),
    );
    const index = await filled(records);
    const { hits } = await index.searchText({
      text: "order",
      limit: 10,
      filter: { facets: { tag: "rare" } },
    });
    expect(hits.map(({ id }) => id)).toEqual(records.slice(490).map(({ id }) => id));
  });

  it("sorts ties by id in code units, whatever the insertion order", async () => {
    const ids = ["res:b", "res:a", "res:Z", "res:ж", "res:é"];
    const index = await filled(ids.map((id) => recordOf(id, { title: "same", container: "c" })));
    const { hits } = await index.searchText({ text: "same", limit: 3 });
    expect(hits.map(({ id }) => id)).toEqual(["res:Z", "res:a", "res:b"]);
  });

  it("returns the words that no visible record has, as the query wrote them", async () => {
    const index = await filled([
      recordOf("res:orders", { title: "orders" }),
      recordOf("res:secret", { title: "salaries" }),
    ]);
    const filter = { allow: new Set(["res:orders"]) };
    const answer = await index.searchText({
      text: "Salaries of Unicorns in orders",
      limit: 5,
      filter,
    });
    expect(answer.unmatchedTerms).toEqual(["Salaries", "Unicorns"]);
    expect(answer.hits.map(({ id }) => id)).toEqual(["res:orders"]);
    expect(answer.coverage).toBeGreaterThan(0);
    expect(answer.coverage).toBeLessThan(0.5);
    const nothing = await index.searchText({ text: "zebra", limit: 5 });
    expect(nothing).toEqual({ hits: [], unmatchedTerms: ["zebra"], coverage: 0 });
  });

  it("finds a word despite a typing error, and still reports it as unmatched", async () => {
    const index = await filled([
      recordOf("res:c", { title: "customers" }),
      recordOf("res:o", { title: "orders" }),
    ]);
    const answer = await index.searchText({ text: "custmoers", limit: 5 });
    expect(answer.hits.map(({ id }) => id)).toEqual(["res:c"]);
    expect(answer.unmatchedTerms).toEqual(["custmoers"]);
  });

  it("explains a score by words and container, which add up to it", async () => {
    const index = await filled([
      recordOf("res:shop.orders", { title: "orders", description: "daily revenue" }),
      recordOf("res:shop.customers", { title: "customers" }),
    ]);
    const { hits } = await index.searchText({ text: "revenue of customers", limit: 5 });
    for (const { score, parts = {} } of hits) {
      expect(Object.keys(parts)).toContain("/container");
      expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 10);
    }
    expect(hits).toHaveLength(2);
  });

  it("ranks a table above its namesake if its database matches the rest of the question", async () => {
    const index = await filled([
      recordOf("res:db.concert.singer", { columns: [{ name: "name" }] }),
      recordOf("res:db.concert.stadium", { columns: [{ name: "capacity" }] }),
      recordOf("res:db.music.singer", { columns: [{ name: "name" }] }),
      recordOf("res:db.music.album", { columns: [{ name: "label" }] }),
    ]);
    const { hits } = await index.searchText({ text: "singers who sang in a stadium", limit: 4 });
    const ids = hits.map(({ id }) => id);
    expect(ids.indexOf("res:db.concert.singer")).toBeLessThan(ids.indexOf("res:db.music.singer"));
  });

  it("ranks what a record says of itself above what its many columns say", async () => {
    const details = Array.from({ length: 30 }, (_, at) => ({
      name: `field_${at}`,
      type: "text",
      description: at < 3 ? "Refund of the order" : "Set by the shop",
    }));
    const index = await filled([
      recordOf("res:wide", { title: "shipments", container: "a", columns: details }),
      recordOf("res:refunds", {
        title: "returns",
        container: "b",
        description: "Each row is a refund of an order.",
      }),
    ]);
    const { hits } = await index.searchText({ text: "refund of an order", limit: 2 });
    expect(hits.map(({ id }) => id)).toEqual(["res:refunds", "res:wide"]);
  });

  it("gains little from a database large enough to have every word somewhere", async () => {
    const words =
      "alder birch cedar daisy elder fern gorse hazel iris juniper kale larch maple nettle olive poppy".split(
        " ",
      );
    const large = (name: string, title: string): ResourceRecord =>
      recordOf(`res:db.large.${name}`, { title });
    const index = await filled([
      ...words.map((word) => large(word, word)),
      ...Array.from({ length: 1_000 }, (_, at) => large(`t${at}`, "other")),
      large("four", "alder birch cedar daisy"),
      recordOf("api:garden/shrubs", { kind: "api", title: "elder fern" }),
      recordOf("api:garden/tools", { kind: "api", title: "spade" }),
    ]);
    const { hits } = await index.searchText({ text: words.join(" "), limit: 3 });
    expect(hits.slice(0, 2).map(({ id }) => id)).toEqual([
      "res:db.large.four",
      "api:garden/shrubs",
    ]);
  });

  it.each([
    ["a token of 100 KB", "x".repeat(100_000)],
    ["100 KB of parts", "a_".repeat(50_000)],
    ["lone surrogates", "\ud800 \udc00 a\ud800b"],
    ["combining marks", "a" + "\u0301".repeat(20_000)],
    ["names of prototype members", "constructor __proto__ toString valueOf hasOwnProperty"],
    ["separators", ". / \\ _ - : ' ’ ".repeat(5_000)],
    ["100 KB without spaces", "漢".repeat(100_000)],
  ])("indexes, finds and saves %s", async (_name, text) => {
    const id = `res:${text.slice(0, 20)}`;
    const index = await filled([
      recordOf(id, {
        title: text,
        tags: [text, `__proto__:${text.slice(0, 10)}`],
        description: `needle ${text}`,
      }),
    ]);
    expect(
      (await index.searchText({ text: "needle", limit: 3 })).hits.map((hit) => hit.id),
    ).toEqual([id]);
    await expect(index.searchText({ text, limit: 3 })).resolves.toBeDefined();
    const restored = createMemorySearchIndex();
    restored.restore(index.save());
    expect(
      (await restored.searchText({ text: "needle", limit: 3 })).hits.map((hit) => hit.id),
    ).toEqual([id]);
    expect(Object.hasOwn(await restored.countFacets({ limit: 5 }), "__proto__")).toBe(true);
  });

  it("rejects saved bytes that were cut or changed, and keeps its content", async () => {
    const source = createMemorySearchIndex();
    await source.put([
      { record: recordOf("res:a", { title: "orders" }), vector: Float32Array.from([1, 2]) },
    ]);
    const bytes = source.save();
    const index = await filled([recordOf("res:kept", { title: "kept" })]);
    fc.assert(
      fc.property(
        fc.nat(bytes.length - 1),
        fc.integer({ min: 1, max: 255 }),
        fc.boolean(),
        (at, change, isCut) => {
          const broken = isCut
            ? bytes.slice(0, at)
            : bytes.map((byte, place) => (place === at ? (byte + change) % 256 : byte));
          expect(() => index.restore(broken)).toThrow(CatalogError);
        },
      ),
    );
    expect(() => index.restore(bytes.slice(0, -1))).toThrow(
      expect.objectContaining({ code: "damaged" }),
    );
    expect((await index.searchText({ text: "kept", limit: 1 })).hits).toHaveLength(1);
  });

  it("rejects bytes saved with another analyzer or precision", async () => {
    const bytes = (await filled([recordOf("res:a")])).save();
    const analyzer = { name: "own", documentTerms: () => [], queryWords: () => [] };
    const refusal = expect.objectContaining({ code: "invalid_options" });
    expect(() => createMemorySearchIndex({ analyzer }).restore(bytes)).toThrow(refusal);
    expect(() => createMemorySearchIndex({ vectors: "int8" }).restore(bytes)).toThrow(refusal);
  });

  it.each([
    ["of another length", Float32Array.from([1])],
    ["without numbers", Float32Array.from([])],
    ["that is not finite", Float32Array.from([1, NaN])],
  ])("rejects a vector %s and the whole batch", async (_name, vector) => {
    const index = createMemorySearchIndex();
    await index.put([{ record: recordOf("res:a"), vector: Float32Array.from([1, 0]) }]);
    const batch = [{ record: recordOf("res:b") }, { record: recordOf("res:c"), vector }];
    await expect(index.put(batch)).rejects.toThrow(
      expect.objectContaining({ code: "invalid_options" }),
    );
    expect(index.size()).toBe(1);
  });

  it("accepts vectors of another model once all are replaced", async () => {
    const index = createMemorySearchIndex();
    await index.put([{ record: recordOf("res:a"), vector: Float32Array.from([1, 0]) }]);
    await index.put([{ record: recordOf("res:a"), vector: Float32Array.from([0, 1, 0]) }]);
    const hits = await index.searchVector({ vector: Float32Array.from([0, 2, 0]), limit: 1 });
    expect(hits).toEqual([{ id: "res:a", score: 1 }]);
  });

  it("returns cosines, with a small error if vectors are stored in a quarter of the memory", async () => {
    const vector = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
      minLength: 17,
      maxLength: 17,
    });
    await fc.assert(
      fc.asyncProperty(vector, vector, async (left, right) => {
        const norm = (values: number[]): number => Math.hypot(...values);
        fc.pre(norm(left) > 1e-3 && norm(right) > 1e-3);
        const cosine =
          left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0) /
          norm(left) /
          norm(right);
        for (const [vectors, digits] of [
          ["float32", 5],
          ["int8", 1.5],
        ] as const) {
          const index = createMemorySearchIndex({ vectors });
          await index.put([{ record: recordOf("res:a"), vector: Float32Array.from(left) }]);
          const [hit] = await index.searchVector({ vector: Float32Array.from(right), limit: 1 });
          expect(hit?.score).toBeCloseTo(cosine, digits);
        }
      }),
    );
  });

  it("rejects an aborted call without changing anything", async () => {
    const index = await filled([recordOf("res:a")]);
    const signal = AbortSignal.abort(new Error("enough"));
    const refusal = expect.objectContaining({ code: "aborted" });
    await expect(index.put([{ record: recordOf("res:b") }], { signal })).rejects.toThrow(refusal);
    await expect(index.remove(["res:a"], { signal })).rejects.toThrow(refusal);
    await expect(index.searchText({ text: "a", limit: 1 }, { signal })).rejects.toThrow(refusal);
    expect(index.size()).toBe(1);
  });

  it("aborts a long batch between its parts without changing anything", async () => {
    const index = createMemorySearchIndex();
    const controller = new AbortController();
    const documents = Array.from({ length: 5_000 }, (_, at) => ({ record: recordOf(`res:${at}`) }));
    const done = index.put(documents, { signal: controller.signal });
    setTimeout(() => controller.abort(), 0);
    await expect(done).rejects.toThrow(expect.objectContaining({ code: "aborted" }));
    expect(index.size()).toBe(0);
    await index.put(documents.slice(0, 1));
    expect(index.size()).toBe(1);
  });

  it("applies changes one at a time, in the order of the calls", async () => {
    const index = createMemorySearchIndex();
    const many = Array.from({ length: 3_000 }, (_, at) => ({
      record: recordOf(`res:${at}`, { title: "old" }),
    }));
    const first = index.put(many);
    const second = index.put([{ record: recordOf("res:7", { title: "fresh" }) }]);
    await Promise.all([first, second]);
    expect((await index.searchText({ text: "fresh", limit: 5 })).hits.map(({ id }) => id)).toEqual([
      "res:7",
    ]);
  });

  it.each([-1, 1.5, NaN])("rejects the limit %d", async (limit) => {
    const index = await filled([recordOf("res:a")]);
    await expect(index.searchText({ text: "a", limit })).rejects.toThrow(
      expect.objectContaining({ code: "invalid_options" }),
    );
  });

  it("counts facets of tags by the text before the colon, in descending order", async () => {
    const index = await filled([
      recordOf("res:a", { tags: ["pii:none", "shop"], owner: "team", cap: ["scan"] }),
      recordOf("res:b", { tags: ["pii:none", "kind:fake"], kind: "api" }),
      recordOf("res:c", { tags: ["pii:high"] }),
    ]);
    expect(await index.countFacets({ facets: ["pii", "kind", "cap", "none"], limit: 1 })).toEqual({
      cap: [{ value: "scan", count: 1 }],
      kind: [{ value: "tabular", count: 2 }],
      none: [],
      pii: [{ value: "none", count: 2 }],
    });
    expect(
      await index.countFacets({ facets: ["pii"], ids: ["res:c", "res:gone"], limit: 5 }),
    ).toEqual({
      pii: [{ value: "high", count: 1 }],
    });
  });
});
