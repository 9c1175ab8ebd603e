import { rejectsWith } from "@ccl/core/conformance";
import assert from "node:assert/strict";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import type { ArtifactContent, StoreOptions } from "../artifact-store.ts";
import { listAll, untyped, type Rule } from "./bench.ts";

const source = "tool:test";
const hex = "0123456789abcdef".repeat(4);
const invalidIds: unknown[] = [
  "",
  "abc",
  hex.slice(1),
  `${hex}0`,
  hex.toUpperCase(),
  `${hex.slice(0, 63)}g`,
  `${hex}\n`,
  ` ${hex.slice(1)}`,
  `../${hex.slice(3)}`,
  `${hex.slice(0, 32)}/../${hex.slice(0, 28)}`,
  `..\\${hex.slice(3)}`,
  `%2e%2e%2f${hex.slice(9)}`,
  `${hex.slice(0, 63)}\u0000`,
  `${hex.slice(0, 63)}\uff11`,
  `${hex.slice(0, 63)}'`,
  "../../../../etc/passwd",
  undefined,
  null,
  7,
  [hex],
  { toString: () => hex },
];
const hostileTexts = [
  "'; DROP TABLE handles; --",
  '"quoted" \\ back\\slash',
  "%_*?[a]",
  "../../etc/passwd",
  "C:\\aux.txt:stream",
  "a/b/c",
  "Straße Ａ \u{1f600}",
  "e\u0301",
  "\u00e9",
  " spaces ",
  "a\u0000b",
  "line\nbreak",
  "\u202eright to left",
  "\ud800",
  "x".repeat(512),
  "x".repeat(100_000),
  "\u{1f600}".repeat(256),
  "__proto__",
  "",
];

/** What callers pass is checked before anything is built from it. */
export const inputRules: Rule[] = [
  {
    name: "an id that is no id is refused by every call that takes one",
    async check({ store }) {
      await store.store("content", { source });
      for (const wrong of invalidIds) {
        const id = untyped<string>(wrong);
        await rejectsWith(ArtifactStoreError, "invalid_id", () => store.retrieve(id));
        await rejectsWith(ArtifactStoreError, "invalid_id", () => store.retrieveStream(id));
        await rejectsWith(ArtifactStoreError, "invalid_id", () => store.exists(id));
        await rejectsWith(ArtifactStoreError, "invalid_id", () => store.getHandles(id));
        await rejectsWith(ArtifactStoreError, "invalid_id", () => store.delete(id));
        await rejectsWith(ArtifactStoreError, "invalid_id", () =>
          store.collectGarbage({ graceMs: 0, artifactIds: [id] }),
        );
        if (wrong === undefined) continue;
        await rejectsWith(ArtifactStoreError, "invalid_id", () =>
          store.store("content", { source, expectedId: id }),
        );
      }
    },
  },
  {
    name: "a handle id that is none is refused and removes nothing",
    async check({ store }) {
      const handle = await store.store("content", { source });
      for (const wrong of ["", "../x", "a'b", "a\u0000", "x".repeat(65), "%", 7, null]) {
        const handleId = untyped<string>(wrong);
        await rejectsWith(ArtifactStoreError, "invalid_id", () =>
          store.delete(handle.artifactId, { handleId }),
        );
      }
      assert.deepEqual(await store.getHandles(handle.artifactId), [handle]);
    },
  },
  {
    name: "hostile sources, sessions and types come back as they were or are refused",
    async check({ store }) {
      for (const text of hostileTexts) {
        for (const options of [
          { source: text },
          { source, sessionId: text },
          { source, mimeType: text },
        ]) {
          await keepsOrRefuses(store, options);
        }
      }
    },
  },
  {
    name: "sessions and sources that only look alike are different",
    async check({ store }) {
      const alike = ["e\u0301", "\u00e9", "E\u0301", "a%", "ab", "a_", "A%", "a% ", "a"];
      for (const text of alike) await store.store(text, { source: text, sessionId: text });
      for (const text of alike) {
        assert.deepEqual(
          (await listAll(store, { sessionId: text })).map((handle) => handle.sessionId),
          [text],
        );
        assert.deepEqual(
          (await listAll(store, { source: text })).map((handle) => handle.source),
          [text],
        );
      }
    },
  },
  {
    name: "options of the wrong shape are refused and nothing is kept",
    async check(bench) {
      const wrong: unknown[] = [
        undefined,
        null,
        {},
        { source: 7 },
        { source, mimeType: 7 },
        { source, sessionId: {} },
        { source, summary: 7 },
        { source, imported: { handleId: "id", createdAt: "now", summary: "" } },
        { source, imported: { handleId: "id", createdAt: 1, summary: "a\u0000" } },
        { source, summary: "s", imported: { handleId: "id", createdAt: 1, summary: "" } },
      ];
      for (const options of wrong) {
        await rejectsWith(ArtifactStoreError, "invalid_input", () =>
          bench.store.store("content", untyped<StoreOptions>(options)),
        );
      }
      await bench.isEmpty("content");
    },
  },
  {
    name: "a content of another type is refused and nothing is kept",
    async check(bench) {
      const wrong: unknown[] = [
        undefined,
        null,
        7,
        {},
        ["text"],
        new Uint16Array(2),
        new ArrayBuffer(2),
        new Date(0),
      ];
      for (const content of wrong) {
        await rejectsWith(ArtifactStoreError, "invalid_input", () =>
          bench.store.store(untyped<ArtifactContent>(content), { source }),
        );
      }
      const texts = async function* (): AsyncGenerator<Uint8Array, void> {
        yield new Uint8Array(3);
        yield untyped<Uint8Array>("text");
      };
      await rejectsWith(ArtifactStoreError, "invalid_input", () =>
        bench.store.store(texts(), { source }),
      );
      await bench.isEmpty();
    },
  },
  {
    name: "a cursor, a limit, a grace age or a sample that is none is refused",
    async check({ store }) {
      for (const cursor of ["", "x", "after:../x", "1' OR '1'='1", 7]) {
        await rejectsWith(ArtifactStoreError, "invalid_input", () =>
          store.listHandles({ cursor: untyped<string>(cursor) }),
        );
      }
      for (const limit of [0, -1, 1.5, 1001, Number.NaN, "10"]) {
        await rejectsWith(ArtifactStoreError, "invalid_input", () =>
          store.listHandles({ limit: untyped<number>(limit) }),
        );
      }
      for (const graceMs of [-1, Number.NaN, undefined]) {
        await rejectsWith(ArtifactStoreError, "invalid_input", () =>
          store.collectGarbage({ graceMs: untyped<number>(graceMs) }),
        );
      }
      await rejectsWith(ArtifactStoreError, "invalid_input", () => store.verify({ sample: -1 }));
    },
  },
];

async function keepsOrRefuses(
  store: Parameters<Rule["check"]>[0]["store"],
  options: StoreOptions,
): Promise<void> {
  try {
    const { artifactId, handleId } = await store.store("hostile", options);
    const handle = (await store.getHandles(artifactId)).find((each) => each.handleId === handleId);
    assert.deepEqual({ ...handle, ...options }, handle, "it came back changed");
    const { sessionId } = options;
    const listed = await listAll(
      store,
      sessionId === undefined ? { source: options.source } : { sessionId },
    );
    assert.ok(
      listed.some((each) => each.handleId === handleId),
      "the filter does not find it",
    );
    assert.equal(await store.delete(artifactId, { handleId }), true);
  } catch (error) {
    if (!ArtifactStoreError.isInstance(error) || error.code !== "invalid_input") throw error;
  }
}
