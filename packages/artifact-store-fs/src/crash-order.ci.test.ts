import { sha256Hex } from "@ccl/core";
import { createFixedClock } from "@ccl/core/testing";
import type { Durability } from "@ccl/core/node";
import type { ArtifactHandle, ArtifactStore } from "@ccl/artifact-store";
import { describe, expect, it } from "vitest";
import { SimulatedDisk } from "@ccl/core/testing/node";
import type { FileSystem } from "./file-system/file-system.ts";
import { fileSystemOf } from "../test-support/simulated-file-system.ts";
import { openTestStore } from "../test-support/simulated-store.ts";
import { byLength } from "../../../scripts/lengths/test-length.mjs";

const statesPerCut = byLength({ ci: 4, faults: 100, nightly: 400 });

/** What the caller was told before the power went. */
interface Log {
  kept: ArtifactHandle[];
  removed: ArtifactHandle[];
  /** Handle ids that came or went in a call without an answer. */
  unsure: Set<string>;
}

type Story = (store: ArtifactStore, log: Log) => Promise<void>;

const bytesOf = async function* (text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
  // Two pieces: more than one MiB.
  yield new Uint8Array(1_100_000).fill(1);
};

async function keep(
  log: Log,
  call: Promise<ArtifactHandle | ArtifactHandle[]>,
): Promise<ArtifactHandle> {
  const handles = [await call].flat();
  log.kept.push(...handles);
  const [first] = handles;
  if (first === undefined) throw new Error("no handle");
  return first;
}

async function remove(store: ArtifactStore, log: Log, handle: ArtifactHandle): Promise<void> {
  log.unsure.add(handle.handleId);
  log.kept = log.kept.filter((kept) => kept !== handle);
  await store.delete(handle.artifactId, { handleId: handle.handleId });
  log.removed.push(handle);
}

const puts: Story = async (store, log) => {
  await keep(log, store.store("one", { source: "a" }));
  await keep(log, store.store("one", { source: "b", sessionId: "s" }));
  await keep(log, store.store("", { source: "empty" }));
};

/** A disk whose files answer a sync at once. */
function withoutFileSync(fs: FileSystem): FileSystem {
  return {
    ...fs,
    create: async (path) => ({ ...(await fs.create(path)), sync: () => Promise.resolve() }),
  };
}

const stories: [name: string, story: Story][] = [
  ["puts of new and of present bytes", puts],
  [
    "a stream",
    async (store, log) => void (await keep(log, store.store(bytesOf("x"), { source: "a" }))),
  ],
  [
    "many at once",
    async (store, log) => {
      await keep(log, store.store("two", { source: "before" }));
      const items = ["one", "two", "three", "one"].map((content) => ({ content, source: "batch" }));
      await keep(log, store.storeMany(items));
    },
  ],
  [
    "deletions and a collection",
    async (store, log) => {
      const first = await keep(log, store.store("one", { source: "a" }));
      const second = await keep(log, store.store("one", { source: "b" }));
      await remove(store, log, first);
      await store.collectGarbage({ graceMs: 0 });
      await remove(store, log, second);
      await store.collectGarbage({ graceMs: 0 });
      await keep(log, store.store("one", { source: "c" }));
    },
  ],
];

interface CutOptions {
  cutBefore: number;
  durability: Durability;
  breakDisk?: (fs: FileSystem) => FileSystem;
}

/** Runs a story up to the cut; true when it came to its end before. */
async function runUntilCut(
  story: Story,
  { cutBefore, durability, breakDisk = (fs) => fs }: CutOptions,
): Promise<{ isOver: boolean; log: Log; disk: SimulatedDisk }> {
  const disk = new SimulatedDisk();
  const log: Log = { kept: [], removed: [], unsure: new Set() };
  const store = await openTestStore(breakDisk(fileSystemOf(disk)), {
    name: "old",
    durability,
    clock: createFixedClock(1_000),
  });
  disk.cutBefore = disk.steps + cutBefore;
  try {
    await story(store, log);
    return { isOver: true, log, disk };
  } catch {
    return { isOver: false, log, disk };
  }
}

/** What is wrong with a store that was opened after a crash. */
async function faultsOf(disk: SimulatedDisk, log: Log): Promise<string[]> {
  const store = await openTestStore(fileSystemOf(disk), {
    name: "new",
    clock: createFixedClock(2_000),
  });
  const faults: string[] = [];
  const check = async (when: string): Promise<void> => {
    const { handles } = await store.listHandles();
    const present = new Set(handles.map((handle) => handle.handleId));
    for (const { handleId } of log.kept)
      if (!present.has(handleId)) faults.push(`${when}: ${handleId} is lost`);
    for (const { handleId } of log.removed)
      if (present.has(handleId)) faults.push(`${when}: ${handleId} came back`);
    for (const { artifactId } of handles) {
      const bytes = await store.retrieve(artifactId).catch((error: unknown) => String(error));
      const isRight = bytes instanceof Uint8Array && sha256Hex(bytes) === artifactId;
      if (!isRight)
        faults.push(`${when}: ${artifactId} reads ${typeof bytes === "string" ? bytes : "wrong"}`);
    }
    const batch = handles.filter((handle) => handle.source === "batch").length;
    if (batch !== 0 && batch !== 4) faults.push(`${when}: ${batch} of 4 handles of one commit`);
    const { damaged, missing } = await store.verify();
    if (damaged.length + missing.length > 0)
      faults.push(`${when}: ${damaged.length} damaged, ${missing.length} missing`);
  };
  await check("opened");
  await store.store("one", { source: "afterwards" });
  await store.collectGarbage({ graceMs: 0 });
  await check("collected");
  const left = [
    ...(await fileSystemOf(disk).list("/store/staging")),
    ...(await fileSystemOf(disk).list("/store/owners")),
  ];
  if (left.some((name) => name.startsWith("old"))) faults.push(`left behind: ${left.join(" ")}`);
  return faults;
}

async function faultsAtEveryCut(
  story: Story,
  options: Omit<CutOptions, "cutBefore">,
): Promise<{ cuts: number; states: number; faults: string[] }> {
  const faults: string[] = [];
  let states = 0;
  for (let cutBefore = 0; ; cutBefore += 1) {
    const { isOver, log, disk } = await runUntilCut(story, { cutBefore, ...options });
    for (const state of disk.crashStates(statesPerCut)) {
      states += 1;
      const found = await faultsOf(state, log);
      faults.push(...found.map((fault) => `cut ${cutBefore}: ${fault}`));
    }
    if (isOver) return { cuts: cutBefore, states, faults };
  }
}

describe("a power cut before any system call, in every state that the disk may be found in", () => {
  it.each(stories)("loses and tears nothing that was acknowledged: %s", async (_name, story) => {
    const { cuts, states, faults } = await faultsAtEveryCut(story, { durability: "full" });
    expect(faults.slice(0, 5)).toEqual([]);
    expect(states).toBeGreaterThan(cuts);
  });

  it("would be seen without the sync of folders, so the check can fail", async () => {
    const { faults } = await faultsAtEveryCut(puts, { durability: "normal" });
    expect(faults.filter((fault) => fault.includes("is lost"))).not.toEqual([]);
    expect(faults.filter((fault) => !fault.includes("is lost"))).toEqual([]);
  });

  it("would be seen without the sync of files, so the check can fail", async () => {
    const { faults } = await faultsAtEveryCut(puts, {
      durability: "full",
      breakDisk: withoutFileSync,
    });
    expect(faults.filter((fault) => fault.includes("damaged"))).not.toEqual([]);
  });
});
