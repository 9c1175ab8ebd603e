import { createMemoryRecords } from "@ccl/records";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import {
  databaseKinds,
  openTestDatabase,
  type TestDatabase,
} from "../../test-support/open-test-stores.ts";
import { oddIds, oddValue } from "../../test-support/odd-values.ts";
import type { OperationProfile } from "../profile/operation-profile.ts";
import { createProfileStore } from "./create-profile-store.ts";
import type { ProfileStore } from "../ports/profile-store.ts";

const profile = (profileId: string, name: string = "One"): OperationProfile => ({
  profileId,
  name,
  enabled: true,
  operationProfileSessionId: "session",
  operations: [
    {
      operationId: "op",
      config: {
        enabled: true,
        required: false,
        hooks: ["before_main_llm"],
        order: 0.5,
        params: { value: oddValue },
      },
    },
  ],
});

describe.each(["memory", ...databaseKinds])("profiles on %s", (kind) => {
  let database: TestDatabase | undefined;
  let store: ProfileStore;
  let second: ProfileStore;
  beforeAll(async () => {
    if (kind === "memory") return;
    database = await openTestDatabase(kind, "profiles");
    [store, second] = [(await database.open()).profiles, (await database.open()).profiles];
  });
  beforeEach(async () => {
    await database?.empty();
    if (database !== undefined) return;
    const records = createMemoryRecords();
    [store, second] = [createProfileStore(records), createProfileStore(records)];
  });
  afterAll(async () => database?.close());

  it("come back as they were saved, with a version that each save counts up", async () => {
    const saved = await store.save({ ...profile("p"), version: 77 });
    expect(saved).toEqual({ ...profile("p"), version: 1 });
    expect(await store.load("p")).toEqual(saved);
    expect(await store.load("q")).toBeUndefined();
    expect((await store.save(profile("p", "Two"))).version).toBe(2);
    expect(await store.load("p")).toEqual({ ...profile("p", "Two"), version: 2 });
  });

  it("keep the order of members", async () => {
    await store.save(profile("p"));
    const params = (await store.load("p"))?.operations[0]?.config.params;
    expect(JSON.stringify(params)).toBe(JSON.stringify({ value: oddValue }));
  });

  it("refuse a save that expects another version, and change nothing", async () => {
    await expect(store.save(profile("p"), { expectedVersion: 1 })).rejects.toMatchObject({
      code: "conflict",
      message: 'Profile "p" has version 0, not 1; load it again and repeat the change.',
      details: { version: 0 },
    });
    expect(await store.load("p")).toBeUndefined();
    await store.save(profile("p"), { expectedVersion: 0 });
    const again = store.save(profile("p", "Two"), { expectedVersion: 0 });
    await expect(again).rejects.toMatchObject({ code: "conflict" });
    expect((await store.load("p"))?.name).toBe("One");
  });

  it("have one winner of saves at the same time that expect one version", async () => {
    await store.save(profile("p"));
    const names = ["a", "b", "c", "d"];
    const all = await Promise.allSettled(
      names.map((name, at) =>
        (at % 2 === 0 ? store : second).save(profile("p", name), { expectedVersion: 1 }),
      ),
    );
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await store.load("p"))?.version).toBe(2);
  });

  it("are apart and listed in the order of code units, page by page", async () => {
    for (const id of oddIds) await store.save(profile(id, id.slice(0, 9)));
    for (const id of oddIds) expect((await store.load(id))?.name).toBe(id.slice(0, 9));
    const listed: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.list({ limit: 3, cursor });
      expect(page.profileIds.length).toBeLessThanOrEqual(3);
      listed.push(...page.profileIds);
      ({ cursor } = page);
    } while (cursor !== undefined && listed.length <= oddIds.length);
    expect(listed).toEqual(oddIds.toSorted());
    await expect(store.list({ limit: 0 })).rejects.toMatchObject({ code: "invalid_options" });
  });

  it("do not change with the objects that came and went", async () => {
    const given = profile("p");
    const saved = await store.save(given);
    given.operations.length = 0;
    saved.operations.length = 0;
    expect((await store.load("p"))?.operations).toHaveLength(1);
  });

  it("stay as they are where a call is aborted", async () => {
    const signal = AbortSignal.abort();
    const refused = { code: "aborted" };
    await expect(store.save(profile("p"), { signal })).rejects.toMatchObject(refused);
    await expect(store.load("p", { signal })).rejects.toMatchObject(refused);
    await expect(store.list({ signal })).rejects.toMatchObject(refused);
    expect(await store.load("p")).toBeUndefined();
  });

  it("are seen by another handle, which refuses an old version", async () => {
    await store.save(profile("p"));
    expect(await second.load("p")).toEqual({ ...profile("p"), version: 1 });
    await second.save(profile("p", "Two"), { expectedVersion: 1 });
    const late = store.save(profile("p", "Three"), { expectedVersion: 1 });
    await expect(late).rejects.toMatchObject({ code: "conflict" });
  });
});
