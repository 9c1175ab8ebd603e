import { describe, expect, it } from "vitest";

import { SimulatedDisk } from "@ccl/core/testing/node";
import { addFiles, factsOf, type TreeFacts } from "../../test-support/simulated-folder.ts";
import { editOf, openSimulatedWorkspace, planOf } from "../../test-support/simulated-workspace.ts";
import type { ValidPlan } from "../validate/valid-plan.ts";
import type { WorkspaceDurability } from "./file-system/workspace-parts.ts";
import { byLength } from "../../../../scripts/lengths/test-length.mjs";

const statesPerCut = byLength({ test: 2, ci: 10, faults: 200 });

const FILES = {
  "a.txt": "one\ntwo\n",
  "run.sh": { text: "#!/bin/sh\n", mode: 0o755 },
  "old/c.txt": "c\n",
  "src/d.txt": "d\n",
};

const PLAN: ValidPlan = planOf(
  { kind: "CREATE_DIR", path: "empty" },
  { kind: "CREATE_FILE", path: "new/deep/n.txt", content: "new\n" },
  editOf("a.txt", "one\ntwo\n", ["two", "three"]),
  editOf("run.sh", "#!/bin/sh\n", ["/bin/sh", "/bin/bash"]),
  { kind: "DELETE_FILE", path: "src/d.txt" },
  { kind: "DELETE_FILE", path: "old/c.txt" },
  { kind: "DELETE_DIR", path: "old" },
);

function freshDisk(): SimulatedDisk {
  const disk = new SimulatedDisk();
  addFiles(disk, FILES);
  return disk;
}

const BEFORE = factsOf(freshDisk());

interface Story {
  /** What the tree may be afterwards; `done` when the call was acknowledged. */
  done: TreeFacts;
  undone: TreeFacts;
  start(): Promise<SimulatedDisk>;
  run(disk: SimulatedDisk, durability: WorkspaceDurability): Promise<boolean>;
}

async function applyOn(
  disk: SimulatedDisk,
  durability: WorkspaceDurability = "full",
): Promise<string | undefined> {
  const workspace = openSimulatedWorkspace(disk, { durability });
  const preview = await workspace.preview(PLAN);
  if (!preview.ok) throw new Error(JSON.stringify(preview.issues));
  const applied = await workspace.apply(PLAN, { confirm: preview.value.planHash });
  return applied.ok ? applied.value.transactionId : undefined;
}

/** File times are of the moment they were written, which differs between runs. */
function withoutNewTimes(facts: TreeFacts): unknown {
  return Object.entries(facts).map(([path, entry]) => {
    const before = BEFORE[path];
    const isOld =
      before !== undefined && "text" in before && "text" in entry && before.text === entry.text;
    return isOld || !("text" in entry) ? [path, entry] : [path, entry.text, entry.mode];
  });
}

async function stories(): Promise<[string, Story][]> {
  const applied = freshDisk();
  const transactionId = (await applyOn(applied)) ?? "";
  const after = factsOf(applied);
  const apply: Story = {
    done: after,
    undone: BEFORE,
    start: () => Promise.resolve(freshDisk()),
    run: async (disk, durability) => (await applyOn(disk, durability)) !== undefined,
  };
  const rollback: Story = {
    done: BEFORE,
    undone: after,
    start: () => Promise.resolve(applied.clone()),
    run: async (disk, durability) =>
      (await openSimulatedWorkspace(disk, { durability }).rollback(transactionId)).ok,
  };
  return [
    ["apply", apply],
    ["rollback", rollback],
  ];
}

/** What is wrong with a disk that was found after a crash; the second recovery is for a crash in the first. */
async function faultAfter(
  disk: SimulatedDisk,
  { story, isDone, recoveryCut }: FaultCase,
): Promise<string | undefined> {
  disk.cutBefore = disk.steps + recoveryCut;
  const first = openSimulatedWorkspace(disk);
  const wasCut = await first.recover().then(
    () => false,
    () => true,
  );
  const [found = disk] = wasCut ? disk.crashStates(1) : [disk];
  found.cutBefore = Infinity;
  const workspace = openSimulatedWorkspace(found);
  if (wasCut) await workspace.recover();
  const tree = JSON.stringify(withoutNewTimes(factsOf(found)), bigintText);
  const isAfter = tree === JSON.stringify(withoutNewTimes(story.done), bigintText);
  const isBefore = tree === JSON.stringify(withoutNewTimes(story.undone), bigintText);
  if (!isAfter && !isBefore) return `a mixture: ${tree}`;
  if (isDone && !isAfter) return "what was acknowledged is lost";
  const again = await workspace.recover();
  if (again.length > 0) return `recovered twice: ${JSON.stringify(again)}`;
  const next = await workspace.apply(
    planOf({ kind: "CREATE_FILE", path: "afterwards.txt", content: "x" }),
  );
  return next.ok ? undefined : `refuses the next plan: ${JSON.stringify(next.issues)}`;
}

interface FaultCase {
  story: Story;
  isDone: boolean;
  /** How many steps the first recovery may make. */
  recoveryCut: number;
}

const bigintText = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? String(value) : value;

async function faultsAtEveryCut(
  story: Story,
  {
    durability = "full",
    syncsFiles = true,
  }: { durability?: WorkspaceDurability; syncsFiles?: boolean } = {},
): Promise<{ cuts: number; states: number; faults: string[] }> {
  const faults: string[] = [];
  let states = 0;
  for (let cut = 0; ; cut += 1) {
    const disk = await story.start();
    disk.syncsFiles = syncsFiles;
    disk.cutBefore = disk.steps + cut;
    let isDone = false;
    try {
      isDone = await story.run(disk, durability);
    } catch {
      isDone = false;
    }
    for (const [index, state] of disk.crashStates(statesPerCut).entries()) {
      states += 1;
      const recoveryCut = index % 2 === 0 ? Infinity : (cut * 7 + index * 3) % 40;
      const fault = await faultAfter(state, { story, isDone, recoveryCut }).catch(
        (error: unknown) => String(error),
      );
      if (fault !== undefined) faults.push(`cut ${cut}, state ${index}: ${fault}`);
    }
    if (isDone) return { cuts: cut, states, faults };
    if (cut > 2_000) throw new Error("The story never ends.");
  }
}

describe("a power cut before any system call, in every state that the disk may be found in", () => {
  it.each(["apply", "rollback"])(
    "leaves the state before or after once recovered: %s",
    async (name) => {
      const story = new Map(await stories()).get(name);
      if (story === undefined) throw new Error(name);
      const { cuts, states, faults } = await faultsAtEveryCut(story);
      expect(faults.slice(0, 5)).toEqual([]);
      expect(cuts).toBeGreaterThan(25);
      expect(states).toBeGreaterThan(cuts);
    },
  );

  it("would be seen without syncs, so the check can fail", async () => {
    const story = new Map(await stories()).get("apply");
    if (story === undefined) throw new Error("apply");
    const { faults } = await faultsAtEveryCut(story, { durability: "off" });
    expect(faults.length).toBeGreaterThan(0);
  });

  it("would be seen without the sync of files, so the check can fail", async () => {
    const story = new Map(await stories()).get("apply");
    if (story === undefined) throw new Error("apply");
    const { faults } = await faultsAtEveryCut(story, { syncsFiles: false });
    expect(faults.length).toBeGreaterThan(0);
  });
});
