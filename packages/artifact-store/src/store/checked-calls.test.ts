// What `createArtifactStore` checks and writes before a driver is called, so that no driver can get it wrong.
import assert from "node:assert/strict";
import { describe, expect, it } from "vitest";
import type { ArtifactStoreErrorCode } from "../artifact-store-error.ts";
import type { ArtifactStore, ByteRange, StoreItem } from "../artifact-store.ts";
import {
  assertBytes,
  Bench,
  inPieces,
  mebibyte,
  expectError,
  type Rule,
  rulesOf,
  someBytes,
  untyped,
} from "../conformance/bench.ts";
import { withEncryption } from "../encryption/with-encryption.ts";
import { createMemoryArtifactStore } from "../memory/create-memory-artifact-store.ts";

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

const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
const key = `-----BEGIN PRIVATE KEY-----\n${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n".repeat(600)}-----END PRIVATE KEY-----`;

const summaryRules: Rule[] = rulesOf({
  async "a summary never holds a secret of the content, wherever a cut falls"({ store }) {
    const cuts = [0, 150, 180, 199, 8_170, 8_190];
    for (const content of [...cuts.map((at) => `${"word ".repeat(at / 5)}${token} end`), key]) {
      const bytes = new TextEncoder().encode(content);
      for (const given of [content, inPieces(bytes, 7, 4_000)]) {
        const handle = await store.store(given, { source });
        for (const { summary } of [handle, ...(await store.getHandles(handle.artifactId))])
          assert.doesNotMatch(summary, /ghp_|a1B2c3|MIIEvQ|kqhkiG/);
        assertBytes(await store.retrieve(handle.artifactId), bytes);
      }
    }
  },
  async "a summary that is given is masked too"({ store }) {
    const handle = await store.store("a", { source, summary: `Uses ${token}.` });
    assert.equal(handle.summary, "Uses [redacted:github_token].");
    assert.deepEqual(await store.getHandles(handle.artifactId), [handle]);
  },
  async "a summary is well-formed text of at most 4,000 characters"({ store }) {
    const family = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}".repeat(2_000);
    for (const content of [someBytes(5_000, 30), family, "\u0000", "a\ufffe"]) {
      const given = await store.store(content, { source, summary: "\u{1f600}".repeat(5_000) });
      const { artifactId } = await store.store(content, { source });
      for (const { summary } of [given, ...(await store.getHandles(artifactId))]) {
        assert.ok(summary.length <= 4_000, `${summary.length} characters`);
        assert.doesNotMatch(summary, /\p{Surrogate}|\0/u);
      }
    }
  },
});

const calls: [
  name: string,
  call: (store: ArtifactStore, signal?: AbortSignal) => Promise<unknown>,
][] = [
  ["store", (store, signal) => store.store("late", { source, signal })],
  ["storeMany", (store, signal) => store.storeMany([{ content: "late", source }], { signal })],
  ["retrieve", (store, signal) => store.retrieve(hex, { signal })],
  ["retrieveStream", (store, signal) => store.retrieveStream(hex, { signal })],
  ["exists", (store, signal) => store.exists(hex, { signal })],
  ["getHandles", (store, signal) => store.getHandles(hex, { signal })],
  ["listHandles", (store, signal) => store.listHandles({ signal })],
  ["delete", (store, signal) => store.delete(hex, { signal })],
  ["collectGarbage", (store, signal) => store.collectGarbage({ graceMs: 0, signal })],
  ["verify", (store, signal) => store.verify({ signal })],
];

const rules: Rule[] = [
  ...wrongValues.map(([name, code, values, call]): Rule => ({
    name,
    async check(bench) {
      const handle = await bench.store.store("kept", { source });
      for (const value of values) await expectError(code, () => call(bench, untyped(value)));
      assert.deepEqual(await bench.store.listHandles(), { handles: [handle] });
      await bench.expectAbsent("content");
    },
  })),
  ...summaryRules,
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
          await expectError("invalid_id", call);
      }
    },
    async "text with a lone surrogate is refused"(bench) {
      await expectError("invalid_input", () => bench.store.store("a\ud800b", { source }));
      await bench.expectEmpty();
    },
    async "a handle without options has no session and the default type of its content"({ store }) {
      const bytes = new Uint8Array(1);
      for (const [content, mimeType] of [
        ["a", "text/plain; charset=utf-8"],
        [bytes, "application/octet-stream"],
        [inPieces(bytes, 1), "application/octet-stream"],
      ] as const) {
        const handle = await store.store(content, { source });
        for (const each of [handle, ...(await store.getHandles(handle.artifactId))]) {
          assert.ok(!("sessionId" in each));
          assert.equal(each.mimeType, mimeType);
        }
      }
    },
    async "an expected id is accepted when it is right"(bench) {
      const expectedId = await bench.idOf("expected");
      const { artifactId } = await bench.store.store("expected", { source, expectedId });
      assert.equal(artifactId, expectedId);
    },
    async "an expected id that is wrong is refused and nothing is kept"(bench) {
      const expectedId = await bench.idOf("something else");
      const contents = ["small", someBytes(mebibyte + 1, 7)];
      for (const content of contents)
        await expectError("id_mismatch", () => bench.store.store(content, { source, expectedId }));
      await bench.expectEmpty(...contents);
    },
    async "a call whose signal is aborted already does nothing"(bench) {
      for (const [, call] of calls)
        await expectError("aborted", () => call(bench.store, AbortSignal.abort()));
      await bench.expectEmpty("late");
    },
    async "a closed store expectError every call, and closing it again does nothing"({ store }) {
      await store.close();
      await store.close();
      for (const [, call] of calls) await expectError("closed", () => call(store));
    },
    async "a range that is no range is refused"({ store }) {
      const { artifactId } = await store.store("content", { source });
      const wrong = [
        { start: -1 },
        { start: 0.5 },
        { start: Number.NaN },
        { start: 0, end: -1 },
        { start: 0, end: 1e300 },
        {},
        { start: "1" },
      ];
      for (const each of wrong) {
        const options = { range: untyped<ByteRange>(each) };
        await expectError("invalid_input", () => store.retrieve(artifactId, options));
        await expectError("invalid_input", () => store.retrieveStream(artifactId, options));
      }
    },
    async "a batch that is no array is refused"({ store }) {
      const items = untyped<StoreItem[]>({ content: "a", source });
      await expectError("invalid_input", () => store.storeMany(items));
    },
  }),
];

const encrypted = { key: new Uint8Array(32).fill(7) };
const stores = {
  "a store": (store: ArtifactStore): ArtifactStore => store,
  "an encrypted store": (store: ArtifactStore): ArtifactStore => withEncryption(store, encrypted),
};

describe.each(Object.entries(stores))("%s", (_name, over) => {
  it.each(rules)("$name", async ({ check }) => {
    const bench = await Bench.open({
      open: async (options) => over(createMemoryArtifactStore(options)),
      idOf: async (content) =>
        (await over(createMemoryArtifactStore()).store(content, { source })).artifactId,
    });
    await expect(check(bench)).resolves.toBeUndefined();
    await bench.store.close();
  });
});
