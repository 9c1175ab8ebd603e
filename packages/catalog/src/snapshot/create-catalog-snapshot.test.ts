import { sha256Hex } from "@ccl/core";
import { createMemoryRecords } from "@ccl/records";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCatalog } from "../catalog/create-catalog.ts";
import { listResources } from "../store/list-resources.ts";
import { restoreResources } from "../store/write-resources.ts";
import type { ResourceInput, ResourceRecord } from "../record/resource-record.ts";
import { createCatalogSnapshot } from "./create-catalog-snapshot.ts";
import { type SnapshotRecord } from "./snapshot-index.ts";

const clock = { now: (): number => Date.parse("2025-01-01T00:00:00Z") };
const { numRuns = 200 } = fc.readConfigureGlobal();

async function recordsOf(inputs: readonly ResourceInput[]): Promise<ResourceRecord[]> {
  const records = createMemoryRecords();
  const registered = await createCatalog({ records, clock }).register(inputs);
  if (!registered.ok) throw new Error(JSON.stringify(registered.issues));
  return listResources(records);
}

const hashed = (records: readonly ResourceRecord[]): SnapshotRecord[] =>
  records.map((record) => ({ record, hash: sha256Hex(JSON.stringify(record)) }));

const words = ["orders", "customers", "invoices", "amount", "city", "заказы"];
const resource = fc.record({
  number: fc.nat(12),
  words: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }),
  isPersonal: fc.boolean(),
});
const inputs = fc
  .uniqueArray(resource, { selector: ({ number }) => number, maxLength: 10 })
  .map((all) =>
    all.map(({ number, words: own, isPersonal }): ResourceInput => {
      const tags = isPersonal ? ["pii"] : [];
      return {
        id: `res:db.a.t${number}`,
        kind: "tabular",
        title: own.join(" "),
        columns: [{ name: own[0] ?? "", tags }],
      };
    }),
  );

describe("createCatalogSnapshot", () => {
  it("answers like the catalog, whatever the saved index contains", async () => {
    await fc.assert(
      fc.asyncProperty(inputs, inputs, async (before, after) => {
        const saved = await createCatalogSnapshot({
          records: hashed(await recordsOf(before)),
          clock,
        }).save();
        const records = await recordsOf(after);
        const snapshot = createCatalogSnapshot({
          records: hashed(records),
          loadSaved: async () => saved,
          clock,
        });
        const kept = createMemoryRecords();
        await restoreResources(kept, records);
        const catalog = createCatalog({ records: kept, clock });
        for (const text of ["orders of customers", "amount заказов", ""]) {
          expect(await snapshot.search({ text })).toEqual(await catalog.search({ text }));
          expect(await snapshot.budgetedContext({ task: text, budget: 300 })).toEqual(
            await catalog.budgetedContext({ task: text, budget: 300 }),
          );
        }
        expect(await snapshot.overview({})).toEqual(await catalog.overview({}));
        const ids = records.map(({ id }) => id);
        expect(await snapshot.details(ids)).toEqual(await catalog.details(ids));
        const again = await snapshot.save();
        const next = createCatalogSnapshot({
          records: hashed(records),
          loadSaved: async () => again ?? saved,
          clock,
        });
        expect(await next.save()).toBeUndefined();
      }),
      { numRuns: Math.min(numRuns / 4, 400) },
    );
  });

  it("rebuilds an index that is damaged, cut off or in another format", async () => {
    const records = hashed(await recordsOf([{ id: "bus:a", kind: "bus", title: "Orders" }]));
    const whole = (await createCatalogSnapshot({ records, clock }).save()) ?? new Uint8Array(0);
    for (let at = 0; at < whole.length; at += 7) {
      const damaged = whole.map((byte, place) => (place === at ? byte ^ 1 : byte));
      for (const bytes of [damaged, whole.subarray(0, at)]) {
        const snapshot = createCatalogSnapshot({ records, loadSaved: async () => bytes, clock });
        expect((await snapshot.search({ text: "orders" })).hits.map(({ id }) => id)).toEqual([
          "bus:a",
        ]);
        // The hash of a head, its first 64 bytes, is read only if the head does not match these
        // records.
        expect((await snapshot.save()) ?? (at < 64 ? whole : undefined)).toEqual(whole);
      }
    }
  });

  it("rejects two records with the same id, and an aborted call", async () => {
    const [one] = hashed(await recordsOf([{ id: "bus:a", kind: "bus", title: "Orders" }]));
    if (one === undefined) throw new Error("There is no record.");
    expect(() => createCatalogSnapshot({ records: [one, one] })).toThrowError(
      expect.objectContaining({ code: "invalid_options" }),
    );
    const snapshot = createCatalogSnapshot({ records: [one] });
    await expect(
      snapshot.search({ text: "orders", signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({
      code: "aborted",
    });
  });
});
