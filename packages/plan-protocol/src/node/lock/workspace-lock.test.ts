import { createFixedClock } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";

import { SimulatedDisk } from "../../../test-support/simulated-disk.ts";
import { openSimulatedWorkspace, planOf } from "../../../test-support/simulated-workspace.ts";
import type { Owner } from "./owner.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const PLAN = planOf({ kind: "CREATE_FILE", path: "a.txt", content: "a" });
const OTHER = "other-0123456789abcdef-0123456789abcdef";

function ownerWho(state: ReturnType<Owner["stateOf"]>): Owner {
  return { token: "me-0123456789abcdef", stateOf: () => state };
}

function diskLockedBy(token: string): SimulatedDisk {
  const disk = new SimulatedDisk();
  disk.add({ ".ccl/transactions/lock": token });
  return disk;
}

describe("the lock of someone else", () => {
  it("is taken over once its owner is dead", async () => {
    const disk = diskLockedBy(OTHER);
    expect(
      await openSimulatedWorkspace(disk, { owner: ownerWho("dead") }).apply(PLAN),
    ).toMatchObject({ ok: true });
  });

  it.each(["alive", "unknown"] as const)("is respected while its owner is %s", async (state) => {
    const workspace = openSimulatedWorkspace(diskLockedBy(OTHER), { owner: ownerWho(state) });
    await expect(workspace.apply(PLAN)).rejects.toMatchObject({ code: "workspace_busy" });
    expect(await workspace.preview(PLAN)).toMatchObject({ ok: true });
  });

  it.each([
    ["of an owner that can't be looked at, after a day", OTHER, DAY_MS],
    ["that was never finished, after ten seconds", "oth", 10_000],
  ])("is taken over %s and not before", async (_name, token, patienceMs) => {
    const open = (timeMs: number, disk: SimulatedDisk): ReturnType<typeof openSimulatedWorkspace> =>
      openSimulatedWorkspace(disk, { owner: ownerWho("unknown"), clock: createFixedClock(timeMs) });
    // The file's time on this disk is its size in nanoseconds.
    await expect(open(patienceMs, diskLockedBy(token)).apply(PLAN)).rejects.toMatchObject({
      code: "workspace_busy",
    });
    expect(await open(patienceMs + 1, diskLockedBy(token)).apply(PLAN)).toMatchObject({ ok: true });
  });

  it("is never taken over because of its age while its owner lives", async () => {
    const clock = createFixedClock(400 * DAY_MS);
    const workspace = openSimulatedWorkspace(diskLockedBy(OTHER), {
      owner: ownerWho("alive"),
      clock,
    });
    await expect(workspace.apply(PLAN)).rejects.toMatchObject({ code: "workspace_busy" });
  });
});
