import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createFixedClock } from "@ccl/core/testing";
import { createMemoryRecords, type Records } from "@ccl/records";
import { openRecords, salvageRecords } from "@ccl/records/node";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createCatalog } from "../catalog/create-catalog.ts";
import type { ResourceInput } from "../record/resource-record.ts";
import { listResources } from "./list-resources.ts";
import { resourceName } from "./stored-names.ts";
import { loadVectors, saveVectors } from "./stored-vectors.ts";
import { restoreResources } from "./write-resources.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-catalog-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const clock = createFixedClock(Date.parse("2026-01-01T00:00:00Z"));
const bus = (id: string, title = id): ResourceInput => ({ id, kind: "bus", title });

async function idsIn(records: Records): Promise<string[]> {
  return (await createCatalog({ records }).overview()).items.map(({ id }) => id);
}

describe("a catalog in records", () => {
  it("keeps a writer that missed a removal from overwriting the resource", async () => {
    const records = createMemoryRecords();
    const other = createCatalog({ records, clock });
    await other.register([bus("a", "first")]);
    // Between this writer's read and its write, the resource is removed and another one is added.
    let isFirst = true;
    const write: Records["write"] = async (changes, options) => {
      if (isFirst) {
        isFirst = false;
        await other.remove(["a"]);
        await other.register([bus("a", "second")]);
      }
      return records.write(changes, options);
    };
    const late = createCatalog({ records: { ...records, write }, clock });
    await late.register([{ ...bus("a", "third"), columns: [{ name: "n", type: "int" }] }]);
    const history = await other.history("a");
    expect(history.map(({ kind, rev }) => [kind, rev])).toEqual([
      ["registered", 1],
      ["removed", 1],
      ["registered", 1],
      ["changed", 2],
    ]);
  });

  it("loses nothing when several catalogs write one file at the same time", async () => {
    const path = join(folder, "shared.db");
    const opened = await Promise.all([0, 1].map(() => openRecords({ sqlite: { path } })));
    const catalogs = opened.map((records) => createCatalog({ records, clock }));
    const ids = Array.from({ length: 40 }, (_, at) => `res:${at + 10}`);
    await Promise.all(ids.map((id, at) => catalogs[at % 2]?.register([bus(id)])));
    for (const records of opened) {
      expect(await idsIn(records)).toEqual(ids);
      await records.close();
    }
  });

  it("distinguishes ids of any length", async () => {
    const long = "ж".repeat(511);
    const ids = [`${long}a`, `${long}b`, long, long.slice(0, 200), long.slice(0, 201)].sort();
    const cut = resourceName(`${long}a`).slice(resourceName("").length);
    const records = createMemoryRecords();
    await createCatalog({ records }).register([...ids, cut].map((id) => bus(id, "long")));
    expect(await idsIn(records)).toEqual([...ids, cut].sort());
    for (const id of ids) expect(await createCatalog({ records }).history(id)).toHaveLength(1);
  });

  it("shows the newest entries of a history, oldest first", async () => {
    const records = createMemoryRecords();
    const catalog = createCatalog({ records, clock });
    for (let count = 1; count <= 7; count += 1)
      await catalog.register([{ ...bus("a"), columns: [{ name: `column${count}`, type: "int" }] }]);
    const revs = async (limit: number) =>
      (await catalog.history("a", { limit })).map(({ rev }) => rev);
    expect(await revs(3)).toEqual([5, 6, 7]);
    expect(await revs(7)).toEqual(await revs(100));
    await catalog.remove(["a"]);
    expect((await catalog.history("a", { limit: 1 })).map(({ kind }) => kind)).toEqual(["removed"]);
  });

  it("finds restored records unchanged, even in a running catalog", async () => {
    const [from, to] = [createMemoryRecords(), createMemoryRecords()];
    const catalog = createCatalog({ records: from, clock });
    await catalog.register([bus("a"), bus("b")]);
    await catalog.register([{ ...bus("a"), columns: [{ name: "n", type: "int" }] }]);
    const running = createCatalog({ records: to, clock });
    expect((await running.overview()).items).toEqual([]);
    await restoreResources(to, await listResources(from));
    expect(await listResources(to)).toEqual(await listResources(from));
    expect((await running.overview()).items).toEqual((await catalog.overview()).items);
    await running.register([{ ...bus("a"), columns: [{ name: "m", type: "int" }] }]);
    expect((await running.history("a")).map(({ rev }) => rev)).toEqual([3]);
  });

  it("rejects records that no catalog wrote", async () => {
    const records = createMemoryRecords();
    await records.write([{ put: resourceName("a"), value: { id: "b", rev: 1 } }]);
    const catalog = createCatalog({ records });
    await expect(catalog.overview()).rejects.toMatchObject({ code: "damaged" });
    await records.write([
      { remove: resourceName("a") },
      { append: "catalog/history/a", entries: ["?"] },
    ]);
    await expect(catalog.history("a")).rejects.toMatchObject({ code: "damaged" });
  });

  it("returns vectors bit for bit, separately for each embedder", async () => {
    const numbers = fc.float32Array({ minLength: 1, maxLength: 8 });
    const one = fc.dictionary(fc.string(), numbers, { minKeys: 1, maxKeys: 5 });
    await fc.assert(
      fc.asyncProperty(one, one, async (first, second) => {
        const records = createMemoryRecords();
        for (const [embedder, vectors] of [first, second].entries())
          await saveVectors(
            records,
            { embedder: `m${embedder}`, vectors: new Map(Object.entries(vectors)) },
            undefined,
          );
        const texts = [...Object.keys(first), ...Object.keys(second)];
        for (const [embedder, vectors] of [first, second].entries())
          expect(
            Object.fromEntries(
              await loadVectors(records, { embedder: `m${embedder}`, texts }, undefined),
            ),
          ).toEqual({ ...vectors });
      }),
    );
  });
});

// The database was written by the store that this package had before resources became records.
it("migrates the tables of an earlier version on open, and reports damage", async () => {
  const path = join(folder, "catalog.db");
  await copyFile(join(import.meta.dirname, "__fixtures__", "catalog.db"), path);
  const damaged = resourceName("res:damaged");
  for (const _ of ["the first time", "and again"]) {
    const records = await openRecords({ sqlite: { path } });
    await expect(createCatalog({ records }).overview()).rejects.toMatchObject({
      code: "damaged",
      message: expect.stringContaining(damaged),
    });
    await records.close();
  }
  const whole = { folder: join(folder, "whole") };
  const report = await salvageRecords({ from: { sqlite: { path } }, to: whole });
  expect(JSON.stringify(report.lost)).toContain(damaged);

  const records = await openRecords(whole);
  const embed = () => expect.unreachable("a vector is missing");
  const embedder = { name: "letters", dimensions: 3, embed };
  const catalog = createCatalog({ records, embedder, clock });
  const { items } = await catalog.overview();
  const long = `res:${"long/ж".repeat(60)}`;
  expect(items.map(({ id }) => id)).toEqual(["res:a", long, "ключ/с пробелом"]);
  const [stored] = await listResources(records);
  expect(stored).toMatchObject({
    title: "Table res:a 🙂 ж",
    x_own: { "a b": [1e21, -0.5, null] },
    rev: 3,
    updated_at: "2026-01-02T03:04:10.000Z",
  });
  const kinds = async (id: string) => (await catalog.history(id)).map(({ kind }) => kind);
  expect(await kinds("res:a")).toEqual(["registered", "changed", "changed"]);
  expect(await kinds("res:removed")).toEqual(["registered", "removed"]);
  expect(await kinds(long)).toEqual(["registered"]);
  await records.close();
});
