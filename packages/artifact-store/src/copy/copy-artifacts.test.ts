import { describe, expect, it } from "vitest";
import { createFixedClock } from "@ccl/core/testing";
import type { ArtifactHandle, ArtifactStore } from "../artifact-store.ts";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import { createArtifactStore } from "../driver/index.ts";
import { withEncryption } from "../encryption/with-encryption.ts";
import { createKeyValueArtifactStore } from "../key-value/create-key-value-artifact-store.ts";
import { createMemoryArtifactStore } from "../memory/create-memory-artifact-store.ts";
import { createMemoryDriver } from "../memory/memory-driver.ts";
import { MemoryState } from "../memory/memory-state.ts";
import { copyArtifacts, type CopyReport } from "./copy-artifacts.ts";

const key = new Uint8Array(32).fill(3);

async function fill(store: ArtifactStore, count: number): Promise<ArtifactHandle[]> {
  const handles: ArtifactHandle[] = [];
  for (let index = 0; index < count; index += 1) {
    const content = new Uint8Array(index * 7_000).fill(index % 5);
    const facts = { source: `tool:${index}`, mimeType: "image/png", summary: `Number ${index}.` };
    handles.push(await store.store(content, index % 3 ? { ...facts, sessionId: "s" } : facts));
  }
  return handles;
}

const without = ({ artifactId, ...rest }: ArtifactHandle): unknown => [artifactId.length, rest];

describe("copyArtifacts", () => {
  it("copies contents and whole handles, and adds nothing the second time", async () => {
    const from = createMemoryArtifactStore({ clock: createFixedClock(1_000_000) });
    const to = createMemoryArtifactStore();
    const handles = await fill(from, 9);
    const report = await copyArtifacts(from, to);
    expect(report).toEqual({
      copiedHandles: 9,
      presentHandles: 0,
      goneHandles: 0,
      copiedBytes: 252_000,
      damaged: [],
    });
    expect((await to.listHandles()).handles).toEqual(handles);
    for (const { artifactId } of handles)
      expect(await to.retrieve(artifactId)).toEqual(await from.retrieve(artifactId));
    expect(await copyArtifacts(from, to)).toMatchObject({
      copiedHandles: 0,
      presentHandles: 9,
      copiedBytes: 0,
    });
    expect((await to.listHandles()).handles).toEqual(handles);
  });

  it("reports damaged handles of the source, and replaces those of the target", async () => {
    const maps = [new Map<string, Uint8Array>(), new Map<string, Uint8Array>()];
    const [from, to] = maps.map((map) =>
      createKeyValueArtifactStore({
        get: async (name) => map.get(name),
        set: async (name, value) => map.set(name, value),
        delete: async (name) => map.delete(name),
        keys: async (prefix) => [...map.keys()].filter((name) => name.startsWith(prefix)),
      }),
    );
    if (from === undefined || to === undefined) throw new Error("There are two.");
    const handles = await fill(from, 5);
    await copyArtifacts(from, to);
    const damage = (map: Map<string, Uint8Array> | undefined, at: number): void => {
      const { handleId = "" } = handles[at] ?? {};
      for (const [name, bytes] of map ?? [])
        if (name.startsWith(`handle/${handleId}!`)) map?.set(name, bytes.slice(0, -1));
    };
    damage(maps[0], 1);
    damage(maps[1], 3);
    expect(await copyArtifacts(from, to)).toMatchObject({
      copiedHandles: 1,
      presentHandles: 3,
      damaged: [handles[1]?.artifactId],
    });
    expect(await to.listHandles()).toEqual({ handles });
  });

  it("copies into an encrypted store and back", async () => {
    const from = createMemoryArtifactStore();
    const sealed = withEncryption(createMemoryArtifactStore(), { key });
    const back = createMemoryArtifactStore();
    const handles = await fill(from, 6);
    await copyArtifacts(from, sealed);
    expect((await sealed.listHandles()).handles.map(without)).toEqual(handles.map(without));
    expect(await copyArtifacts(from, sealed)).toMatchObject({
      copiedHandles: 0,
      presentHandles: 6,
    });
    await copyArtifacts(sealed, back);
    expect((await back.listHandles()).handles).toEqual(handles);
    for (const { artifactId } of handles)
      expect(await back.retrieve(artifactId)).toEqual(await from.retrieve(artifactId));
  });

  it.each([
    ["letters", "x".repeat(50_000)],
    ["characters that JSON escapes", "\u0001".repeat(65_536)],
    ["families", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}".repeat(8_000)],
  ])(
    "copies handles with long summaries of %s into an encrypted store, cut and marked",
    async (_, summary) => {
      const from = createMemoryArtifactStore();
      const sealed = withEncryption(createMemoryArtifactStore(), { key });
      const contents = ["a", "b"];
      for (const content of contents) {
        const imported = {
          handleId: content,
          createdAt: 1,
          summary: content === "a" ? summary : "Short.",
        };
        await from.store(content, { source: "s", imported });
      }
      expect(await copyArtifacts(from, sealed)).toMatchObject({ copiedHandles: 2 });
      const { handles } = await sealed.listHandles();
      const [cut = "", short] = handles.map((handle) => handle.summary);
      expect(short).toBe("Short.");
      expect(
        cut.endsWith(" ...") && summary.startsWith(cut.slice(0, -4)) && cut.length > 7_000,
      ).toBe(true);
      const payloads = await Promise.all(
        handles.map(({ artifactId }) => sealed.retrieve(artifactId)),
      );
      expect(payloads.map((bytes) => new TextDecoder().decode(bytes))).toEqual(contents);
      expect(await copyArtifacts(from, sealed)).toMatchObject({
        copiedHandles: 0,
        presentHandles: 2,
      });
    },
  );

  it("copies handles of one id under several artifacts, whatever part of them is there", async () => {
    const imported = { handleId: "twin", createdAt: 7, summary: "Same." };
    const from = createMemoryArtifactStore();
    for (const content of ["a", "b", "c"]) await from.store(content, { source: "s", imported });
    const sealed = withEncryption(createMemoryArtifactStore(), { key });
    for (const to of [createMemoryArtifactStore(), sealed]) {
      await to.store("b", { source: "s", imported });
      await copyArtifacts(from, to);
      expect((await to.listHandles()).handles).toHaveLength(3);
      expect(await copyArtifacts(from, to)).toMatchObject({ copiedHandles: 0, presentHandles: 3 });
    }
  });

  it("passes over an artifact that goes while it is read", async () => {
    const state = new MemoryState();
    const from = createArtifactStore(createMemoryDriver(state));
    const [gone, kept] = await fill(from, 3);
    if (gone === undefined || kept === undefined) throw new Error("Nothing was stored.");
    const failing: ArtifactStore = {
      ...from,
      retrieveStream: async (artifactId, options) => {
        if (artifactId !== gone.artifactId) return from.retrieveStream(artifactId, options);
        await from.delete(artifactId);
        throw new ArtifactStoreError("unavailable", "The rows of this artifact are gone.");
      },
    };
    const report = await copyArtifacts(failing, createMemoryArtifactStore());
    expect(report).toMatchObject({ copiedHandles: 2, goneHandles: 1, damaged: [] });
    const broken: ArtifactStore = {
      ...from,
      retrieveStream: () =>
        Promise.reject(new ArtifactStoreError("unavailable", "The disk is gone.")),
    };
    await expect(copyArtifacts(broken, createMemoryArtifactStore())).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  it("goes on where a run was cut short, by its cursor or from the beginning", async () => {
    const from = createMemoryArtifactStore();
    await from.storeMany(
      Array.from({ length: 250 }, (_, index) => ({ content: `item ${index}`, source: "a" })),
    );
    for (const isCursorUsed of [true, false]) {
      const to = createMemoryArtifactStore();
      const controller = new AbortController();
      let last: CopyReport | undefined;
      const onProgress = (progress: CopyReport): void => {
        last = progress;
        if (progress.copiedHandles === 130) controller.abort();
      };
      const cut = copyArtifacts(from, to, { signal: controller.signal, onProgress });
      await expect(cut).rejects.toMatchObject({ code: "aborted" });
      expect(last?.cursor).toBeDefined();
      const rest = await copyArtifacts(
        from,
        to,
        isCursorUsed && last?.cursor ? { cursor: last.cursor } : {},
      );
      expect(rest).toMatchObject({ copiedHandles: 120, presentHandles: isCursorUsed ? 30 : 130 });
      expect((await to.listHandles({ limit: 1000 })).handles).toEqual(
        (await from.listHandles({ limit: 1000 })).handles,
      );
    }
  });

  it("passes over what the source can't read, and says so", async () => {
    const state = new MemoryState();
    const from = createArtifactStore(createMemoryDriver(state));
    const to = createMemoryArtifactStore();
    const handles = await fill(from, 4);
    const [, damaged] = handles;
    const blob = state.blobs.get(damaged?.artifactId ?? "");
    if (blob === undefined) throw new Error("There is no such blob.");
    blob.bytes[5] = 99;
    const report = await copyArtifacts(from, to);
    expect(report).toMatchObject({ copiedHandles: 3, damaged: [damaged?.artifactId] });
    expect((await to.listHandles()).handles).toEqual(
      handles.filter((handle) => handle !== damaged),
    );
  });

  it("throws what the target throws, and leaves nothing half copied", async () => {
    const from = createMemoryArtifactStore();
    await fill(from, 6);
    const to = createMemoryArtifactStore({ limits: { maxStoreBytes: 30_000 } });
    await expect(copyArtifacts(from, to)).rejects.toSatisfy(
      ArtifactStoreError.isInstance.bind(ArtifactStoreError),
    );
    expect((await to.verify()).damaged).toEqual([]);
    expect((await to.listHandles()).handles).toHaveLength(3);
  });
});
