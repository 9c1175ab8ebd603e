import { createFixedClock, createSequentialIds } from "@ccl/core/testing";
import type { SimulatedDisk } from "@ccl/core/testing/node";
import { type Clock, sha256Hex } from "@ccl/core";

import { defaultPlanLimits } from "../src/limits/plan-limits.ts";
import { createWorkspace } from "../src/node/create-workspace.ts";
import type { Folder } from "../src/node/file-system/folder.ts";
import type { WorkspaceDurability } from "../src/node/file-system/workspace-parts.ts";
import type { ValidAction, ValidPlan } from "../src/validate/valid-plan.ts";
import type { FileWorkspace } from "../src/workspace/file-workspace.ts";
import { folderOf } from "./simulated-folder.ts";

let opened = 0;

interface SimulatedOptions {
  durability?: WorkspaceDurability;
  root?: Folder;
  clock?: Clock;
}

/** A workspace on a simulated disk, without a lock: only one is at work at a time. */
export function openSimulatedWorkspace(
  disk: SimulatedDisk,
  {
    durability = "full",
    root = folderOf(disk),
    clock = createFixedClock(1_000),
  }: SimulatedOptions = {},
): FileWorkspace {
  opened += 1;
  return createWorkspace({
    rootPath: `/simulated/${opened}`,
    root,
    durability,
    policy: {},
    limits: defaultPlanLimits,
    clock,
    ids: createSequentialIds(`t${opened}`),
    withLock: (_journals, _signal, work) => work(),
    readSet: new Map(),
    unread: new Map(),
  });
}

/** A plan of these actions, as `validatePlan` would give it. */
export function planOf(...actions: ValidAction[]): ValidPlan {
  return {
    version: 1,
    mode: "apply",
    actions,
    summary: "A change.",
    context_requests: [],
    memory_patch: {},
  };
}

/** Replaces a text that stands once in a file. */
export function editOf(path: string, base: string, [before, after]: [string, string]): ValidAction {
  return {
    kind: "EDIT_FILE",
    path,
    base_sha256: sha256Hex(base),
    content: base.replace(before, () => after),
  };
}
