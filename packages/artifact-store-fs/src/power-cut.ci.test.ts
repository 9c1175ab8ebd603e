import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { sha256Hex } from "@ccl/core";
import type { ArtifactHandle, ArtifactStore } from "@ccl/artifact-store";
import { beforeAll, describe, expect, it } from "vitest";
import { openLoopDisk, type LoopDisk } from "../../../scripts/power-cut/loop-disk.ts";
import { requireBuilt, runChild } from "../test-support/child-process.ts";
import { openFsArtifactStore } from "./open-fs-artifact-store.ts";
import { byLength } from "../../../scripts/lengths/test-length.mjs";

/** Acknowledged puts that a run must have seen. */
const wantedAcks = byLength({ ci: 1, faults: 500, nightly: 5_000 });

const writer = `
  const store = await openFsArtifactStore({ folder: root, durability });
  for (let round = 0; ; round += 1) {
    const content = Buffer.alloc(1 + random(20_000), seed + "-" + round);
    try {
      if (round % 10 > 0) say([await store.store(content, { source: "single" })]);
      else say(await store.storeMany([0, 1, 2, 3].map((i) => ({ content: seed + "/" + round + "/" + i, source: "many" }))));
    } catch {
      say([]);
      setInterval(() => undefined, 1_000);
      break;
    }
  }
`;

/** Ids that were acknowledged before the power went and can't be read afterwards. */
async function lostAtOneCut(
  disk: LoopDisk,
  seed: number,
  durability: string,
): Promise<{ acks: number; lost: number }> {
  const root = join(disk.folder, `store-${seed}`);
  await mkdir(root);
  const cutAt = 60 + Math.floor(Math.random() * 200);
  const acknowledged: ArtifactHandle[] = [];
  let cutting: Promise<void> | undefined;
  const onLine = (value: unknown, kill: () => void): void => {
    const handles = value as ArtifactHandle[];
    if (handles.length === 0) return kill();
    // What is said after the cut has begun may be true or not: only what came before was promised.
    if (cutting === undefined) acknowledged.push(...handles);
    if (acknowledged.length >= cutAt)
      cutting ??= disk.cutPower().then(() => void setTimeout(kill, 200));
  };
  await runChild(writer, { root, seed, durability, onLine });
  await cutting;
  await disk.mountAgain();
  const store = await openFsArtifactStore({ folder: root });
  let lost = 0;
  for (const handle of acknowledged) if (!(await isKept(store, handle))) lost += 1;
  if (durability === "full")
    expect(await store.verify()).toMatchObject({ damaged: [], missing: [] });
  await store.close();
  return { acks: acknowledged.length, lost };
}

async function isKept(
  store: ArtifactStore,
  { artifactId, handleId }: ArtifactHandle,
): Promise<boolean> {
  const bytes = await store.retrieve(artifactId).catch(() => undefined);
  // Where all handles of an artifact are torn, the call says so.
  const handles = await store.getHandles(artifactId).catch((error: unknown) => {
    expect(error).toMatchObject({ code: "damaged" });
    return [];
  });
  return (
    bytes !== undefined &&
    sha256Hex(bytes) === artifactId &&
    handles.some((handle) => handle.handleId === handleId)
  );
}

async function lostAtCuts(
  durability: string,
  wanted: number,
): Promise<{ acks: number; lost: number } | undefined> {
  const disk = await openLoopDisk({ sizeMiB: 512 });
  if ("whyNot" in disk) {
    console.warn(`skipped: no power cut on a disk of its own, ${disk.whyNot}`);
    return undefined;
  }
  const total = { acks: 0, lost: 0 };
  try {
    for (let seed = 1; total.acks < wanted; seed += 1) {
      const { acks, lost } = await lostAtOneCut(disk, seed, durability);
      total.acks += acks;
      total.lost += lost;
    }
  } finally {
    await disk.dispose();
  }
  console.warn(
    `power cuts at durability ${durability}: ${total.lost} of ${total.acks} acknowledged lost`,
  );
  return total;
}

describe("a power cut on a file system of its own", () => {
  beforeAll(requireBuilt);

  it("loses nothing that was acknowledged at durability full", async () => {
    const total = await lostAtCuts("full", wantedAcks);
    expect(total?.lost ?? 0).toBe(0);
  });

  it("would lose some without syncs, so the check can fail", async () => {
    const total = await lostAtCuts("off", Math.min(wantedAcks, 500));
    expect(total?.lost ?? 1).toBeGreaterThan(0);
  });
});

describe("a disk that is full", () => {
  it("refuses with disk_full, keeps what was there, and takes more once there is room", async () => {
    const disk = await openLoopDisk({ sizeMiB: 8 });
    if ("whyNot" in disk) return console.warn(`skipped: no full disk, ${disk.whyNot}`);
    try {
      const store = await openFsArtifactStore({
        folder: join(disk.folder, "store"),
        durability: "normal",
      });
      const kept: ArtifactHandle[] = [];
      const fill = async (): Promise<void> => {
        for (let index = 0; ; index += 1) {
          kept.push(
            await store.store(new Uint8Array(900_000).fill(index), {
              source: "fill",
              sessionId: "s",
            }),
          );
        }
      };
      await expect(fill()).rejects.toMatchObject({ code: "disk_full" });
      const stream = async function* (): AsyncGenerator<Uint8Array> {
        for (let index = 0; index < 10; index += 1) yield new Uint8Array(900_000).fill(100 + index);
      };
      await expect(store.store(stream(), { source: "fill" })).rejects.toMatchObject({
        code: "disk_full",
      });
      const items = [1, 2, 3].map((index) => ({
        content: new Uint8Array(900_000).fill(50 + index),
        source: "fill",
      }));
      await expect(store.storeMany(items)).rejects.toMatchObject({ code: "disk_full" });
      expect((await store.listHandles()).handles.map((handle) => handle.handleId)).toEqual(
        kept.map((handle) => handle.handleId),
      );
      expect(await store.verify()).toEqual({ checked: kept.length, damaged: [], missing: [] });
      await store.delete(kept[0]?.artifactId ?? "");
      await store.collectGarbage({ graceMs: 0 });
      await store.store(new Uint8Array(800_000).fill(200), { source: "fill" });
      await store.close();
    } finally {
      await disk.dispose();
    }
  });
});
