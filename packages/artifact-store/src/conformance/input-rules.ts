import assert from "node:assert/strict";
import { ArtifactStoreError, type ArtifactStoreErrorCode } from "../artifact-store-error.ts";
import type { ArtifactHandle, StoreOptions } from "../artifact-store.ts";
import { type Bench, listAll, refuses, type Rule, rulesOf, untyped } from "./bench.ts";

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

/** Wrong values, and the call that refuses each of them. */
const wrongValues: readonly [
  name: string,
  code: ArtifactStoreErrorCode,
  values: readonly unknown[],
  call: (bench: Bench, wrong: never) => Promise<unknown>,
][] = [
  [
    "a handle id that is none is refused and removes nothing",
    "invalid_id",
    ["", "../x", "a'b", "a\u0000", "x".repeat(65), "%", 7, null],
    async ({ store }, handleId) => store.delete(hex, { handleId }),
  ],
  [
    "options of the wrong shape are refused and nothing is kept",
    "invalid_input",
    [
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
    ],
    ({ store }, options) => store.store("content", options),
  ],
  [
    "a content of another type is refused and nothing is kept",
    "invalid_input",
    [
      undefined,
      null,
      7,
      {},
      ["text"],
      new Uint16Array(2),
      new ArrayBuffer(2),
      new Date(0),
      {
        // Each reading begins anew, since one kit tests several stores.
        async *[Symbol.asyncIterator]() {
          yield new Uint8Array(3);
          yield "text";
        },
      },
    ],
    ({ store }, content) => store.store(content, { source }),
  ],
  [
    "a cursor that is none is refused",
    "invalid_input",
    ["", "x", "after:../x", "1' OR '1'='1", 7],
    ({ store }, cursor) => store.listHandles({ cursor }),
  ],
  [
    "a limit that is none is refused",
    "invalid_input",
    [0, -1, 1.5, 1001, Number.NaN, "10"],
    ({ store }, limit) => store.listHandles({ limit }),
  ],
  [
    "a grace age that is none is refused",
    "invalid_input",
    [-1, Number.NaN, undefined],
    ({ store }, graceMs) => store.collectGarbage({ graceMs }),
  ],
  [
    "a sample that is none is refused",
    "invalid_input",
    [-1, 0.5],
    ({ store }, sample) => store.verify({ sample }),
  ],
];

/** What callers pass is checked before anything is built from it. */
export const inputRules: Rule[] = [
  ...wrongValues.map(([name, code, values, call]): Rule => ({
    name,
    async check(bench) {
      const handle = await bench.store.store("kept", { source });
      for (const value of values) await refuses(code, () => call(bench, untyped(value)));
      assert.deepEqual(await bench.store.listHandles(), { handles: [handle] });
      await bench.isAbsent("content");
    },
  })),
  ...rulesOf({
    async "an id that is no id is refused by every call that takes one"({ store }) {
      await store.store("content", { source });
      for (const wrong of invalidIds) {
        const id = untyped<string>(wrong);
        for (const call of [
          () => store.retrieve(id),
          () => store.retrieveStream(id),
          () => store.exists(id),
          () => store.getHandles(id),
          () => store.delete(id),
          () => store.collectGarbage({ graceMs: 0, artifactIds: [id] }),
          () => store.store("content", { source, expectedId: id ?? "" }),
        ])
          await refuses("invalid_id", call);
      }
    },
    async "hostile sources, sessions and types come back as they were or are refused"(bench) {
      for (const text of hostileTexts) {
        await keepsOrRefuses(bench, { source: text });
        await keepsOrRefuses(bench, { source, sessionId: text });
        await keepsOrRefuses(bench, { source, mimeType: text });
      }
    },
    async "sessions and sources that only look alike are different"({ store }) {
      const alike = ["e\u0301", "\u00e9", "E\u0301", "a%", "ab", "a_", "A%", "a% ", "a"];
      const handles: ArtifactHandle[] = [];
      for (const text of alike)
        handles.push(await store.store(text, { source: text, sessionId: text }));
      for (const handle of handles) {
        const { source, sessionId } = handle;
        assert.deepEqual(await listAll(store, { sessionId }), [handle]);
        assert.deepEqual(await listAll(store, { source }), [handle]);
      }
    },
  }),
];

async function keepsOrRefuses({ store }: Bench, options: StoreOptions): Promise<void> {
  try {
    const handle = await store.store("hostile", options);
    assert.deepEqual({ ...handle, ...options }, handle, "it came back changed");
    const { artifactId, handleId, source, sessionId } = handle;
    assert.deepEqual(await store.getHandles(artifactId), [handle]);
    assert.deepEqual(await listAll(store, { source, sessionId }), [handle]);
    assert.equal(await store.delete(artifactId, { handleId }), true);
  } catch (error) {
    if (!ArtifactStoreError.isInstance(error) || error.code !== "invalid_input") throw error;
  }
}
