import { OperationsError } from "../operations-error.ts";
import {
  type ConformanceRule,
  bindRules,
  type KitRule,
  type ConformanceHooks,
  rejectsWith,
} from "@ccl/core/conformance";
import assert from "node:assert/strict";

import type { ProfileStore } from "../ports/profile-store.ts";
import type { OperationProfile } from "../profile/operation-profile.ts";
import { aborted, assertSame, oddIds, oddValue } from "./store-rules.ts";

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

const rules: readonly KitRule<ProfileStore>[] = [
  {
    name: "a profile comes back as it was saved, with its version",
    async check(store) {
      const saved = await store.save({ ...profile("p"), version: 77 });
      assertSame(saved, { ...profile("p"), version: 1 });
      assertSame(await store.load("p"), saved);
      assert.equal(await store.load("q"), undefined);
    },
  },
  {
    name: "each save counts the version up",
    async check(store) {
      await store.save(profile("p"));
      assert.equal((await store.save(profile("p", "Two"))).version, 2);
      assertSame(await store.load("p"), { ...profile("p", "Two"), version: 2 });
    },
  },
  {
    name: "a save that expects another version is refused and changes nothing",
    async check(store) {
      await rejectsWith(OperationsError, "version_conflict", () =>
        store.save(profile("p"), { expectedVersion: 1 }),
      );
      assert.equal(await store.load("p"), undefined);
      await store.save(profile("p"), { expectedVersion: 0 });
      await rejectsWith(OperationsError, "version_conflict", () =>
        store.save(profile("p", "Two"), { expectedVersion: 0 }),
      );
      assert.equal((await store.load("p"))?.name, "One");
    },
  },
  {
    name: "of saves at the same time that expect one version one wins",
    async check(store) {
      await store.save(profile("p"));
      const names = ["a", "b", "c", "d"];
      const all = await Promise.allSettled(
        names.map((name) => store.save(profile("p", name), { expectedVersion: 1 })),
      );
      assert.equal(all.filter(({ status }) => status === "fulfilled").length, 1);
      assert.equal((await store.load("p"))?.version, 2);
    },
  },
  {
    name: "profiles are apart and listed in the order of code units, page by page",
    async check(store) {
      for (const id of oddIds) await store.save(profile(id, id.slice(0, 9)));
      for (const id of oddIds) assert.equal((await store.load(id))?.name, id.slice(0, 9));
      const listed: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.list({ limit: 3, cursor });
        assert.ok(page.profileIds.length <= 3, "a page is too long");
        listed.push(...page.profileIds);
        ({ cursor } = page);
        assert.ok(listed.length <= oddIds.length, "the pages do not end");
      } while (cursor !== undefined);
      assertSame(listed, oddIds.toSorted());
      await rejectsWith(OperationsError, "invalid_options", () => store.list({ limit: 0 }));
    },
  },
  {
    name: "what is stored does not change with the objects that came and went",
    async check(store) {
      const given = profile("p");
      const saved = await store.save(given);
      given.operations.length = 0;
      saved.operations.length = 0;
      assert.equal((await store.load("p"))?.operations.length, 1);
    },
  },
  {
    name: "a call whose signal is aborted changes nothing",
    async check(store) {
      await rejectsWith(OperationsError, "aborted", () => store.save(profile("p"), aborted()));
      await rejectsWith(OperationsError, "aborted", () => store.load("p", aborted()));
      await rejectsWith(OperationsError, "aborted", () => store.list(aborted()));
      assert.equal(await store.load("p"), undefined);
    },
  },
  {
    name: "another handle sees what was saved, and is refused on an old version",
    needs: "openSecond",
    async check(store, { openSecond }) {
      const second = await openSecond(store);
      await store.save(profile("p"));
      assertSame(await second.load("p"), { ...profile("p"), version: 1 });
      await second.save(profile("p", "Two"), { expectedVersion: 1 });
      await rejectsWith(OperationsError, "version_conflict", () =>
        store.save(profile("p", "Three"), { expectedVersion: 1 }),
      );
    },
  },
];

/** What every profile store promises, for any test runner: `for (const { name, run } of rules) it(name, run)`. */
export function profileStoreConformance(
  options: ConformanceHooks<ProfileStore>,
): ConformanceRule[] {
  return bindRules(rules, options);
}
