import { spawn } from "node:child_process";
import { once } from "node:events";

import { ownProcessIdentity } from "@ccl/core/process";
import { afterAll, beforeAll, expect, it } from "vitest";

import { openSharedPlace, runWorker, type SharedPlace } from "../../test-support/worker-process.ts";
import { processOwners } from "./process-owners.ts";

let shared: SharedPlace;
beforeAll(async () => {
  shared = await openSharedPlace("SQLite", "owners");
});
afterAll(async () => {
  await shared.close();
});

it("has a run of a killed process resumed at once, however long its lease", async () => {
  const work = { chatId: "killed", leaseMs: 600_000 };
  expect(await runWorker(shared, { ...work, killAt: 20 })).toBeUndefined();
  const [open] = (await shared.stores.runs.listRuns()).runs;
  const { runId, lease } = open ?? {};
  expect(lease?.owner).toMatch(/^process \d+ on /);
  expect(lease?.expiresAtMs).toBeGreaterThan(Date.now() + 300_000);
  expect((await runWorker(shared, { ...work, runId }))?.result.status).toBe("done");
});

it("calls nobody dead who may live: this process, workers of other machines, other names", async () => {
  const { owner = "", isOwnerDead } = await processOwners();
  const { pid } = await ownProcessIdentity();
  expect(owner).toContain(`process ${pid} on `);
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "close");
  const gone = owner.replace(`process ${pid} `, `process ${child.pid} `);
  expect(await isOwnerDead?.(gone)).toBe(true);
  for (const other of [owner, gone.replace(" on ", " on another-"), "worker-1", ""])
    expect(await isOwnerDead?.(other)).toBe(false);
});
