import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { acquireFileLock } from "@ccl/core/node";
import { expect, it } from "vitest";

import { withRegistryLock } from "./registry-lock.ts";

it("reports that a registry is locked when the wait is over", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ccl-lock-"));
  const path = join(folder, "registry.lock");
  try {
    const lock = await acquireFileLock(path);
    const waiting = withRegistryLock(path, { waitMs: 1 }, async () => "in");
    await expect(waiting).rejects.toMatchObject({ code: "registry_locked" });
    await lock.release();
    expect(await withRegistryLock(path, {}, async () => "in")).toBe("in");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
