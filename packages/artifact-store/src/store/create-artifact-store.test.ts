import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, vi } from "vitest";
import type { ArtifactStore } from "../artifact-store.ts";
import type { ArtifactStoreErrorCode } from "../artifact-store-error.ts";
import { createArtifactStore, type ArtifactDriver, type StagedBlob } from "../driver/index.ts";
import { withEncryption } from "../encryption/with-encryption.ts";
import * as entry from "../index.ts";
import { createMemoryDriver } from "../memory/memory-driver.ts";
import { MemoryState } from "../memory/memory-state.ts";
import { byLength } from "../../../../scripts/lengths/test-length.mjs";

const mebibyte = 2 ** 20;
const source = "tool:test";
setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function open(
  change: (driver: ArtifactDriver, state: MemoryState) => Partial<ArtifactDriver> = () => ({}),
): {
  store: ArtifactStore;
  state: MemoryState;
  driver: ArtifactDriver;
} {
  const state = new MemoryState();
  const memory = createMemoryDriver(state);
  const driver = { ...memory, ...change(memory, state) };
  return { store: createArtifactStore(driver), state, driver };
}

function blobOf(
  state: MemoryState,
  artifactId: string,
): NonNullable<ReturnType<MemoryState["blobs"]["get"]>> {
  const blob = state.blobs.get(artifactId);
  if (blob === undefined) throw new Error("There is no such blob.");
  return blob;
}

describe("createArtifactStore", () => {
  it("stores small content with one call of the driver", async () => {
    const calls: string[] = [];
    const { driver } = open();
    const watched = new Proxy(driver, {
      get: (target, name, receiver) => {
        const value: unknown = Reflect.get(target, name, receiver);
        if (typeof value === "function") calls.push(String(name));
        return value;
      },
    });
    await createArtifactStore(watched).store("small", { source });
    expect(calls).toEqual(["commit"]);
  });

  it("keeps the same record of the same bytes, whatever release wrote it", async () => {
    const { store, state } = open();
    const handle = await store.store(new Uint8Array(mebibyte + 1), { source });
    const { chunkHashes } = blobOf(state, handle.artifactId).record;
    expect(Buffer.from(chunkHashes).toString("hex")).toBe(
      "27e892d8038dd69ba208b0fc79b96c50" +
        "39ed86871d24c385473c55bae4fc151e" +
        "b737a58a7093d1eaf468e4ab7ad2291bd07be36b65da4b48fd9a1c5345fd8ed2",
    );
  });

  it("never lets a damaged record bless bytes, whichever byte of it is flipped", async () => {
    const { store, state } = open();
    const { artifactId } = await store.store(new Uint8Array(2 * mebibyte + 5), { source });
    const blob = blobOf(state, artifactId);
    const { record } = blob;
    expect(record.chunkHashes).toHaveLength(3 * 16 + 32);
    const range = { start: 0, end: 10 };
    for (let at = 0; at < record.chunkHashes.length; at += 1) {
      const chunkHashes = Uint8Array.from(record.chunkHashes, (byte, index) =>
        index === at ? byte ^ 4 : byte,
      );
      blob.record = { ...record, chunkHashes };
      await expect(store.retrieve(artifactId, { range })).rejects.toMatchObject({
        code: "damaged",
      });
    }
    for (const change of [
      { sizeBytes: 7 },
      { sizeBytes: 2 ** 50 },
      { sizeBytes: -1 },
      { chunkHashes: new Uint8Array() },
    ]) {
      blob.record = { ...record, ...change };
      await expect(store.retrieve(artifactId, { range })).rejects.toMatchObject({
        code: "damaged",
      });
      await expect(store.retrieve(artifactId)).rejects.toMatchObject({ code: "damaged" });
    }
    await store.store(new Uint8Array(2 * mebibyte + 5), { source });
    expect(blobOf(state, artifactId).record).toEqual(record);
    expect(await store.retrieve(artifactId, { range })).toEqual(new Uint8Array(10));
  });

  it("says damaged where a handle is there and its bytes are lost, and repairs that too", async () => {
    const { store } = open((driver) => {
      let isLost = true;
      return {
        find: (artifactId, options) =>
          isLost ? Promise.resolve(undefined) : driver.find(artifactId, options),
        commit: async (puts, options) => {
          const outcomes = await driver.commit(puts, options);
          isLost = outcomes[0] === "written";
          return outcomes;
        },
      };
    });
    const { artifactId } = await store.store("lost", { source });
    await expect(store.retrieve(artifactId)).rejects.toMatchObject({ code: "damaged" });
    expect(await store.verify()).toEqual({ checked: 1, damaged: [], missing: [artifactId] });
    await store.store("lost", { source });
    expect(await store.retrieve(artifactId)).toEqual(new TextEncoder().encode("lost"));
  });

  it("reads again where a first read fails or is wrong", async () => {
    for (const first of ["fails", "is wrong"]) {
      let reads = 0;
      const { store } = open((driver) => ({
        find: async (artifactId, options) => {
          const found = await driver.find(artifactId, options);
          return (
            found && {
              ...found,
              async *read(from: number, end: number) {
                reads += 1;
                if (reads % 2 && first === "fails") throw new Error("reset");
                if (reads % 2) yield new Uint8Array(3);
                else yield* found.read(from, end);
              },
            }
          );
        },
      }));
      const content = new Uint8Array(2 * mebibyte + 1).fill(4);
      const { artifactId } = await store.store(content, { source });
      expect((await store.retrieve(artifactId))?.length).toBe(content.length);
      expect((await store.retrieve(artifactId, { range: { start: mebibyte } }))?.length).toBe(
        mebibyte + 1,
      );
      let length = 0;
      for await (const piece of (await store.retrieveStream(artifactId)) ?? [])
        length += piece.length;
      expect(length).toBe(content.length);
    }
  });

  it.each([
    ["ENOSPC", Object.assign(new Error("x"), { code: "ENOSPC" }), "disk_full"],
    ["SQLite's number for full", Object.assign(new Error("x"), { errcode: 13 }), "disk_full"],
    ["a cause that is a full disk", new Error("x", { cause: { code: "53100" } }), "disk_full"],
    ["EROFS", Object.assign(new Error("x"), { code: "EROFS" }), "read_only"],
    ["damaged records", Object.assign(new Error("x"), { code: "damaged" }), "damaged"],
    ["a lost race", Object.assign(new Error("x"), { code: "conflict" }), "conflict"],
    ["EIO", Object.assign(new Error("x"), { code: "EIO" }), "unavailable"],
    ["no error at all", "a text", "unavailable"],
  ])("wraps %s", async (_, thrown, code) => {
    const { store } = open(() => ({ commit: () => Promise.reject(thrown) }));
    const failure: unknown = await store
      .store("the secret content", { source })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code, cause: thrown });
    expect(String(failure)).not.toContain("secret content");
    expect(await store.listHandles()).toEqual({ handles: [] });
  });

  it("takes its handles back when what it found damaged can't be repaired", async () => {
    const { store, state } = open(() => ({
      repair: () => Promise.reject(Object.assign(new Error("x"), { code: "ENOSPC" })),
    }));
    const handle = await store.store("content", { source });
    blobOf(state, handle.artifactId).bytes[0] = 0;
    await expect(store.store("content", { source })).rejects.toMatchObject({ code: "disk_full" });
    expect(await store.getHandles(handle.artifactId)).toEqual([handle]);
  });

  it("discards every staged blob, whatever became of the call", async () => {
    const discarded = vi.fn<() => Promise<void>>(async () => undefined);
    const commit = vi
      .fn<ArtifactDriver["commit"]>(() => Promise.reject(new Error("no such luck")))
      .mockResolvedValueOnce(["written"]);
    const stage = async (): Promise<StagedBlob> => ({
      write: async () => undefined,
      discard: discarded,
    });
    const { store } = open(() => ({ maxInlineBytes: mebibyte, stage, commit }));
    const content = new Uint8Array(mebibyte + 1);
    await store.store(content, { source });
    await expect(store.store(content, { source })).rejects.toMatchObject({ code: "unavailable" });
    await expect(
      store.store(content, { source, expectedId: "0".repeat(64) }),
    ).rejects.toMatchObject({
      code: "id_mismatch",
    });
    expect(discarded).toHaveBeenCalledTimes(3);
  });

  it("holds a long stream in a bounded amount of memory", async () => {
    const liveBytes = (): number => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers;
    };
    const sent = byLength({ test: 64, faults: 256 }) * mebibyte;
    let mostBytes = 0;
    let written = 0;
    let longestPiece = 0;
    const { store } = open(() => ({
      maxInlineBytes: mebibyte,
      stage: async () => ({
        write: async (piece) => {
          longestPiece = Math.max(longestPiece, piece.length);
          written += 1;
          if (written % 8 === 0) mostBytes = Math.max(mostBytes, liveBytes());
        },
        discard: async () => undefined,
      }),
      commit: async (puts) => puts.map(() => "written"),
    }));
    const stream = async function* (): AsyncGenerator<Uint8Array, void> {
      for (let at = 0; at < sent; at += 64 * 1024) yield new Uint8Array(64 * 1024);
    };
    const before = liveBytes();
    const { signal } = new AbortController();
    const { sizeBytes } = await store.store(stream(), { source, signal });
    expect(sizeBytes).toBe(sent);
    expect(longestPiece).toBe(mebibyte);
    // A collector at work frees buffers a little later; a store that kept them would hold all 64.
    expect(mostBytes - before).toBeLessThan(32 * mebibyte);
  });

  it("checks each blob once where the sample takes them all, and asks for pages", async () => {
    let listings = 0;
    const { store } = open((memory) => ({
      listIds: (options) => {
        listings += 1;
        return memory.listIds(options);
      },
    }));
    await store.storeMany(
      Array.from({ length: 450 }, (_, index) => ({ content: `blob ${index}`, source })),
    );
    for (const sample of [0, 1, 7, 449, 450, 100_000]) {
      listings = 0;
      const { checked } = await store.verify({ sample });
      expect([sample, checked]).toEqual([sample, Math.min(sample, 450)]);
      expect(listings).toBeLessThan(20);
    }
  });

  it("says so where a driver lists ids without end", async () => {
    const { store } = open((memory) => ({ listIds: ({ limit }) => memory.listIds({ limit }) }));
    await store.store("a", { source });
    await expect(store.verify()).rejects.toMatchObject({ code: "unavailable" });
    await expect(store.verify({ sample: 5 })).rejects.toMatchObject({ code: "unavailable" });
  });

  it("keeps what it checked, whatever a getter says later", async () => {
    const { store } = open();
    const sealed = withEncryption(open().store, { key: new Uint8Array(32) });
    for (const each of [store, sealed]) {
      const said = ["fine", "../../evil"];
      const imported = {
        get handleId(): string {
          return said.shift() ?? "worse";
        },
        createdAt: 1,
        summary: "s",
      };
      expect((await each.store("a", { source, imported })).handleId).toBe("fine");
    }
  });

  it("refuses what is no option, and rejects instead of throwing", async () => {
    const { store } = open();
    const { artifactId } = await store.store("a", { source });
    const nothing = null as never;
    const text = "a" as never;
    const calls = [
      () => store.store("a", nothing),
      () => store.storeMany([], nothing),
      // oxlint-disable-next-line no-sparse-arrays
      () => store.storeMany([, { content: "a", source }] as never),
      () => store.retrieve(artifactId, nothing),
      () => store.retrieve(artifactId, text),
      () => store.retrieve(artifactId, { range: nothing }),
      () => store.retrieve(artifactId, { signal: text }),
      () => store.retrieveStream(artifactId, nothing),
      () => store.exists(artifactId, nothing),
      () => store.getHandles(artifactId, nothing),
      () => store.listHandles(nothing),
      () => store.delete(artifactId, nothing),
      () => store.collectGarbage(nothing),
      () => store.collectGarbage({ graceMs: nothing }),
      () => store.collectGarbage({ graceMs: 0, artifactIds: text }),
      () => store.verify(nothing),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "invalid_input" });
    expect(await store.exists(artifactId)).toBe(true);
  });

  it("exports one error class whose codes are documented", () => {
    const codes: Record<ArtifactStoreErrorCode, "documented"> = {
      invalid_id: "documented",
      invalid_input: "documented",
      id_mismatch: "documented",
      damaged: "documented",
      conflict: "documented",
      read_only: "documented",
      limit_exceeded: "documented",
      disk_full: "documented",
      unavailable: "documented",
      unsupported: "documented",
      closed: "documented",
      aborted: "documented",
    };
    for (const code of Object.keys(codes) as ArtifactStoreErrorCode[]) {
      expect(entry.ArtifactStoreError.isInstance(new entry.ArtifactStoreError(code, "x"))).toBe(
        true,
      );
    }
    expect(entry.ArtifactStoreError.brand).toBe("ArtifactStoreError");
  });
});

describe("what is given", () => {
  const long = (count: number): string => "x".repeat(count);
  const imported = { handleId: "id", createdAt: 0, summary: "" };
  type Call = (store: ArtifactStore, value: never) => Promise<unknown>;
  const put: (name: string) => Call = (name) => (store, value) =>
    store.store("a", { source, [name]: value });
  const importing: (name: string) => Call = (name) => (store, value) =>
    store.store("a", { source, imported: { ...imported, [name]: value } });
  const id = "0".repeat(64);
  const calls: [string, Call, unknown[], unknown[]][] = [
    [
      "source",
      put("source"),
      ["x", long(512)],
      ["", long(513), 7, "a\n", "\u007f", "\ud800", null],
    ],
    ["sessionId", put("sessionId"), ["x", long(512), undefined], ["", long(513), 7]],
    ["mimeType", put("mimeType"), ["x", long(512), undefined], ["", long(513), 7]],
    ["summary", put("summary"), ["", undefined], [7, null]],
    ["imported", put("imported"), [imported, undefined], [null, 7, {}]],
    ["imported.createdAt", importing("createdAt"), [0, 7], [-1, 0.5, "1", 2 ** 53]],
    ["imported.summary", importing("summary"), ["", long(65_536)], [long(65_537), 7, "\u0000"]],
    ["imported.handleId", importing("handleId"), ["x", long(64)], ["", long(65), "a b", 7]],
    ["limit", (on, limit) => on.listHandles({ limit }), [1, 1_000], [0, 1_001, 1.5, "1"]],
    [
      "cursor",
      (on, cursor) => on.listHandles({ cursor }),
      [`after:a:${id}`],
      ["", `after:a:${id}:`],
    ],
    ["sample", (on, sample) => on.verify({ sample }), [0, 1, undefined], [-1, 0.5, "1"]],
    [
      "graceMs",
      (on, graceMs) => on.collectGarbage({ graceMs }),
      [0, 0.5, Infinity],
      [-1, NaN, "1"],
    ],
    [
      "range",
      (on, range) => on.retrieve(id, { range }),
      [{ start: 0 }, { start: 3, end: 0 }],
      [7, {}],
    ],
    ["range.start", (on, start) => on.retrieve(id, { range: { start } }), [0, 1], [-1, 0.5, null]],
    [
      "range.end",
      (on, end) => on.retrieve(id, { range: { start: 0, end } }),
      [0, 1],
      [-1, 0.5, "1"],
    ],
  ];

  it.each(calls)(
    "is taken up to its limits and refused beyond: %s",
    async (_, call, fine, wrong) => {
      for (const value of fine) await call(open().store, value as never);
      for (const value of wrong) {
        const { store } = open();
        const code = /^invalid_i(?:nput|d)$/;
        await expect(call(store, value as never)).rejects.toMatchObject({
          code: expect.stringMatching(code),
        });
        expect(await store.listHandles()).toEqual({ handles: [] });
      }
    },
  );

  it.each(["maxArtifactBytes", "maxSessionBytes", "maxStoreBytes"])(
    "is taken up to its limits and refused beyond: limits.%s",
    (name) => {
      const { driver } = open();
      for (const value of [0, 2 ** 53 - 1, undefined])
        createArtifactStore(driver, { limits: { [name]: value } });
      for (const value of [-1, 0.5, "1", 2 ** 53, null])
        expect(() => createArtifactStore(driver, { limits: { [name]: value as never } })).toThrow(
          `limits.${name}`,
        );
    },
  );

  it("is quoted in part where it is long, and by its type where it is no text", async () => {
    const { store } = open();
    const messageOf = (value: unknown): Promise<string> =>
      store.store("a", { source: value as never }).then(
        () => "taken",
        (error: unknown) => String(error),
      );
    expect(await messageOf(long(600))).toContain(
      `source is "${long(80)}..."; it must be a string of 1 to`,
    );
    expect(await messageOf(`${long(79)}\n`)).toContain(`source is "${long(79)}\\n"; remove`);
    expect(await messageOf({ secret: "secret" })).toContain("source is an object; it must");
    expect(await messageOf(true)).toContain("source is a boolean; it must");
    expect(await messageOf(null)).toContain("source is null; it must");
    expect(await messageOf(7)).toContain("source is 7; it must");
  });
});

it("lists a hundred handles a page where nothing is said, and a cursor only where more follow", async () => {
  const { store } = open();
  const items = Array.from({ length: 101 }, (_, index) => ({ content: `${index}`, source }));
  await store.storeMany(items.slice(1));
  expect(await store.listHandles()).not.toHaveProperty("cursor");
  await store.storeMany(items.slice(0, 1));
  const { handles, cursor } = await store.listHandles();
  expect(handles).toHaveLength(100);
  expect((await store.listHandles({ cursor })).handles).toHaveLength(1);
});
