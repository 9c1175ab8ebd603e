import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFixedClock } from "@ccl/core/testing";
import type { ArtifactStore } from "../artifact-store.ts";
import { assertBytes } from "../conformance/bench.ts";
import { createArtifactStore } from "../driver/index.ts";
import { createMemoryDriver } from "../memory/memory-driver.ts";
import { MemoryState } from "../memory/memory-state.ts";
import { RecordHasher } from "../store/blob-record.ts";
import { layoutOf } from "./segment-cipher.ts";
import { withEncryption } from "./with-encryption.ts";

const mebibyte = 2 ** 20;
const source = "tool:test";
const keyOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const bytesOf = (length: number, seed = 1): Uint8Array =>
  new Uint8Array(length).map(
    (_, index) => (index * 31 + (index >>> 8) * 7 + (index >>> 16) * 13 + seed) & 255,
  );

function openOver(
  state = new MemoryState(),
  key = keyOf(1),
): { plain: ArtifactStore; store: ArtifactStore; state: MemoryState } {
  const plain = createArtifactStore(createMemoryDriver(state));
  return { plain, store: withEncryption(plain, { key }), state };
}

async function* pieces(bytes: Uint8Array, length = 100_000): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/** Puts other bytes under the id, with a record that fits them, as an operator with all powers could. */
async function forge(state: MemoryState, artifactId: string, bytes: Uint8Array): Promise<void> {
  const blob = state.blobs.get(artifactId);
  if (blob === undefined) throw new Error("There is no such blob.");
  const hasher = new RecordHasher();
  for (let at = 0; at < bytes.length; at += mebibyte)
    await hasher.add(bytes.subarray(at, at + mebibyte));
  Object.assign(blob, { bytes, record: { ...(await hasher.finish()), artifactId } });
}

/** A driver without verification above it: what the operator of a store can make the cipher see. */
function unverified(state: MemoryState): ArtifactStore {
  const store = createArtifactStore(createMemoryDriver(state));
  const read = async (
    artifactId: string,
    range?: { start?: number | undefined; end?: number | undefined },
  ): Promise<Uint8Array | undefined> =>
    state.blobs.get(artifactId)?.bytes.slice(range?.start, range?.end);
  return {
    ...store,
    retrieve: (artifactId, options) => read(artifactId, options?.range),
    getHandles: async (artifactId) =>
      (await store.getHandles(artifactId)).map((handle) => ({
        ...handle,
        sizeBytes: state.blobs.get(artifactId)?.bytes.length ?? 0,
      })),
    retrieveStream: async (artifactId, options) => {
      const bytes = await read(artifactId, options?.range);
      return bytes && pieces(bytes);
    },
  };
}

describe("withEncryption", () => {
  it("gives back what was stored, whole and in ranges, whichever way it came", async () => {
    const size = fc.oneof(
      fc.nat(3_000),
      fc.constantFrom(0, mebibyte - 1, mebibyte, mebibyte + 1, 2 * mebibyte),
    );
    const runs = Math.ceil((fc.readConfigureGlobal().numRuns ?? 100) / 10);
    const property = fc.asyncProperty(
      size,
      fc.nat(),
      fc.nat(),
      fc.boolean(),
      async (length, from, to, isStream) => {
        const { store } = openOver();
        const content = bytesOf(length, from);
        const { artifactId } = await store.store(isStream ? pieces(content) : content, { source });
        const range = { start: from % (length + 10), end: to % (length + 10) };
        const expected = content.subarray(range.start, Math.max(range.start, range.end));
        assertBytes(await store.retrieve(artifactId, { range }), expected);
        expect((await store.getHandles(artifactId))[0]?.sizeBytes).toBe(length);
      },
    );
    await fc.assert(property, { numRuns: runs });
  });

  it("makes the same id from the same bytes and key, and another from another key", async () => {
    const content = bytesOf(5 * mebibyte + 3);
    const ids = new Set<string>();
    for (const form of [content, pieces(content), pieces(content, 3 * mebibyte)]) {
      ids.add((await openOver().store.store(form, { source })).artifactId);
    }
    expect(ids.size).toBe(1);
    ids.add((await openOver(undefined, keyOf(2)).store.store(content, { source })).artifactId);
    expect(ids.size).toBe(2);
  });

  it("refuses a ciphertext with any byte changed, whoever changed it", async () => {
    const { store, state } = openOver();
    const { artifactId } = await store.store("attack at dawn", { source });
    const sealed = state.blobs.get(artifactId)?.bytes.slice() ?? new Uint8Array();
    const reader = withEncryption(unverified(state), { key: keyOf(1) });
    expect(new TextDecoder().decode(await reader.retrieve(artifactId))).toBe("attack at dawn");
    for (let at = 0; at < sealed.length; at += 1) {
      for (const bit of [1, 128]) {
        await forge(
          state,
          artifactId,
          Uint8Array.from(sealed, (byte, index) => (index === at ? byte ^ bit : byte)),
        );
        await expect(reader.retrieve(artifactId)).rejects.toMatchObject({ code: "damaged" });
      }
    }
    for (let length = 0; length < sealed.length; length += 1) {
      await forge(state, artifactId, sealed.slice(0, length));
      await expect(reader.retrieve(artifactId)).rejects.toMatchObject({ code: "damaged" });
    }
  });

  it("refuses segments that were reordered, repeated, cut off or taken from another artifact", async () => {
    const { store, state } = openOver();
    const { artifactId } = await store.store(bytesOf(3 * mebibyte), { source });
    const other = await store.store(bytesOf(3 * mebibyte, 9), { source });
    const sealed = state.blobs.get(artifactId)?.bytes ?? new Uint8Array();
    const foreign = state.blobs.get(other.artifactId)?.bytes ?? new Uint8Array();
    const step = mebibyte + 16;
    const part = (bytes: Uint8Array, index: number): Uint8Array =>
      bytes.slice(48 + index * step, 48 + (index + 1) * step);
    const head = sealed.slice(0, 48);
    const [a, b, c, x] = [part(sealed, 0), part(sealed, 1), part(sealed, 2), part(foreign, 1)];
    const reader = withEncryption(unverified(state), { key: keyOf(1) });
    const forgeries = [
      [b, a, c],
      [a, a, c],
      [a, c],
      [a, b],
      [a, b, c, c],
      [a, x, c],
      [a, b, c, new Uint8Array(16)],
    ];
    for (const parts of forgeries) {
      await forge(
        state,
        artifactId,
        new Uint8Array(
          await new Blob([head, ...parts].map((each) => new Uint8Array(each))).arrayBuffer(),
        ),
      );
      await expect(reader.retrieve(artifactId)).rejects.toMatchObject({ code: "damaged" });
    }
    await forge(
      state,
      artifactId,
      new Uint8Array(
        await new Blob([head, a, b, c].map((each) => new Uint8Array(each))).arrayBuffer(),
      ),
    );
    expect((await reader.retrieve(artifactId))?.length).toBe(3 * mebibyte);
  });

  it("refuses a range behind a length that was made shorter", async () => {
    const { store, plain } = openOver();
    const { artifactId } = await store.store(bytesOf(3 * mebibyte), { source });
    const shortened = async (id: string): ReturnType<ArtifactStore["getHandles"]> =>
      (await plain.getHandles(id)).map((handle) => ({
        ...handle,
        sizeBytes: handle.sizeBytes - 2 * (mebibyte + 16),
      }));
    const reader = withEncryption({ ...plain, getHandles: shortened }, { key: keyOf(1) });
    for (const start of [0, mebibyte - 1, mebibyte, 2 * mebibyte]) {
      const reading = reader.retrieve(artifactId, { range: { start, end: start + 10 } });
      await expect(reading).rejects.toMatchObject({ code: "damaged" });
    }
    const past = { range: { start: 3 * mebibyte, end: 3 * mebibyte + 10 } };
    expect(await store.retrieve(artifactId, past)).toEqual(new Uint8Array());
  });

  it("leaves nothing of the content at rest: no bytes, no summary, no type", async () => {
    const { store, plain, state } = openOver();
    const options = { source, mimeType: "text/secret-plan", summary: "the plan" };
    const { artifactId, handleId } = await store.store("the plan is to meet at noon", options);
    const [stored] = (await plain.listHandles()).handles;
    expect(stored).toMatchObject({
      handleId,
      artifactId,
      source,
      mimeType: "application/vnd.ccl.encrypted",
    });
    const atRest =
      JSON.stringify(stored) + new TextDecoder("latin1").decode(state.blobs.get(artifactId)?.bytes);
    expect(atRest).not.toMatch(/plan|noon/);
  });

  it("hides the artifacts of other keys and does not let them be deleted", async () => {
    const { store, state } = openOver();
    const { store: other } = openOver(state, keyOf(2));
    const handle = await store.store("mine", { source });
    await other.store("mine", { source });
    expect((await other.listHandles({ limit: 1 })).handles).toHaveLength(1);
    expect(await other.exists(handle.artifactId)).toBe(false);
    expect(await other.retrieve(handle.artifactId)).toBeUndefined();
    expect(await other.getHandles(handle.artifactId)).toEqual([]);
    expect(await other.delete(handle.artifactId)).toBe(false);
    expect((await store.listHandles()).handles).toEqual([handle]);
  });

  it("names fields of a handle that were tampered with, and still gives the payload", async () => {
    const { store, state } = openOver();
    const { artifactId } = await store.store("payload", { source });
    const [handle] = state.blobs.get(artifactId)?.handles ?? [];
    if (handle === undefined) throw new Error("There is no handle.");
    handle.summary = `${handle.summary.slice(0, -8)}AAAAAAA=`;
    expect((await store.getHandles(artifactId))[0]).toMatchObject({
      summary: "[summary damaged]",
      sizeBytes: 7,
    });
    expect(new TextDecoder().decode(await store.retrieve(artifactId))).toBe("payload");
  });

  it("removes what it spooled of a long stream, and leaves the artifact alone", async () => {
    const { store, plain, state } = openOver();
    const content = bytesOf(6 * mebibyte);
    const { artifactId } = await store.store(pieces(content), { source });
    expect(state.blobs.size).toBe(1);
    expect((await plain.listHandles()).handles).toHaveLength(1);
    expect((await store.retrieve(artifactId))?.length).toBe(content.length);
  });

  it("removes what it spooled when the stream fails, the call is aborted or the store is full", async () => {
    const failing = async function* (end: () => void): AsyncGenerator<Uint8Array, void> {
      yield* pieces(bytesOf(6 * mebibyte));
      end();
      yield new Uint8Array(1);
    };
    const fail = (): void => {
      throw new Error("gone");
    };
    const controller = new AbortController();
    const { store, state } = openOver();
    const failed = store.store(failing(fail), { source });
    await expect(failed).rejects.toMatchObject({ code: "invalid_input" });
    const options = { source, signal: controller.signal };
    const aborted = store.store(
      failing(() => controller.abort()),
      options,
    );
    await expect(aborted).rejects.toMatchObject({ code: "aborted" });
    const refused = store.store(
      failing(() => undefined),
      { source, expectedId: "0".repeat(64) },
    );
    await expect(refused).rejects.toMatchObject({ code: "id_mismatch" });
    expect(state.blobs.size).toBe(0);
  });

  it("drops spools that a process left behind a day ago", async () => {
    const clock = createFixedClock(1_000_000_000_000);
    const state = new MemoryState();
    const plain = createArtifactStore(createMemoryDriver(state), { clock });
    const store = withEncryption(plain, { key: keyOf(1), clock });
    await plain.store("left behind", { source: "ccl:encryption-spool" });
    await store.collectGarbage({ graceMs: 0 });
    expect(state.blobs.size).toBe(1);
    clock.advance(25 * 60 * 60 * 1000);
    await store.collectGarbage({ graceMs: 0 });
    expect(state.blobs.size).toBe(0);
  });

  it("takes keys of 32 bytes only", () => {
    const { plain } = openOver();
    for (const length of [0, 16, 31, 33]) {
      expect(() => withEncryption(plain, { key: new Uint8Array(length) })).toThrow(
        /32 random bytes/,
      );
    }
  });

  it("knows which sizes a ciphertext can have", () => {
    fc.assert(
      fc.property(fc.nat(5 * mebibyte), (plainBytes) => {
        const segmentCount = Math.max(1, Math.ceil(plainBytes / mebibyte));
        expect(layoutOf(48 + plainBytes + 16 * segmentCount)).toEqual({ segmentCount, plainBytes });
      }),
    );
    expect([0, 48, 63, 48 + mebibyte + 16 + 16].map(layoutOf)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
