import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { PGlite } from "@electric-sql/pglite";
import { createPostgresSession } from "@ccl/sql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { isAtLeast } from "../../../scripts/lengths/test-length.mjs";
import { recordsConformance } from "./conformance/index.ts";
import { createMemoryRecords } from "./create-memory-records.ts";
import { type NodeRecordsPlace, openRecords } from "./node/index.ts";
import { openRecords as openNeutralRecords } from "./open-records.ts";
import type { Records } from "./records/records.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-records-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each([
  [
    "SQLite",
    (path: string): NodeRecordsPlace => ({ sqlite: { path: `${path}.db`, durability: "off" } }),
  ],
  ["a folder", (path: string): NodeRecordsPlace => ({ folder: path, durability: "off" })],
])("records in %s", (kind, placeOf) => {
  const places = new WeakMap<Records, NodeRecordsPlace>();
  let count = 0;
  const open = async (place: NodeRecordsPlace): Promise<Records> => {
    const records = await openRecords(place);
    places.set(records, place);
    return records;
  };
  const again = (records: Records) => open(places.get(records) ?? placeOf("none"));
  const rules = recordsConformance({
    open: () => open(placeOf(join(folder, `${kind} ${(count += 1)}`))),
    async reopen(records) {
      await records.close();
      return again(records);
    },
    openSecond: again,
  });
  it.each(rules)("$name", async ({ run }) => expect(await run()).toBeUndefined());
});

it("says which entry opens a path", async () => {
  const opened = openNeutralRecords({ sqlite: { path: "a.db" } as never });
  await expect(opened).rejects.toMatchObject({
    code: "invalid_options",
    message: expect.stringContaining("@ccl/records/node"),
  });
});

describe("records in memory", () => {
  const rules = recordsConformance({ open: async () => createMemoryRecords() });
  it.each(rules)("$name", async ({ run }) => expect(await run()).toBeUndefined());
});

describe.runIf(isAtLeast("ci"))("records in PostgreSQL", () => {
  let client: PGlite;
  beforeAll(async () => {
    client = await PGlite.create();
  });
  afterAll(() => client.close());
  const open = () => openRecords({ postgres: client });
  const rules = recordsConformance({
    async open() {
      const records = await open();
      await createPostgresSession(client).exec("TRUNCATE ccl_records");
      return records;
    },
    async reopen(records) {
      await records.close();
      return open();
    },
    openSecond: open,
  });
  it.each(rules)("$name", async ({ run }) => expect(await run()).toBeUndefined());
});
