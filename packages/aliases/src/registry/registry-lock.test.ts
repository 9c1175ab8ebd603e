import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { withRegistryLock } from "./registry-lock.ts";

let folder = "";
let lock = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ccl-lock-"));
  lock = join(folder, "aliases.lock");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const takeNow = (): Promise<string> =>
  withRegistryLock(lock, { waitMs: 0 }, async () => readFileSync(lock, "utf8"));
const deadPid = (): number => spawnSync(process.execPath, ["--version"]).pid;

describe("withRegistryLock", () => {
  it("holds the lock during the work and no longer, also when the work fails", async () => {
    await expect(takeNow()).resolves.toContain(`"pid":${process.pid}`);
    expect(existsSync(lock)).toBe(false);
    await expect(
      withRegistryLock(lock, { waitMs: 0 }, () => Promise.reject(new Error("no"))),
    ).rejects.toThrow("no");
    expect(existsSync(lock)).toBe(false);
  });

  it("lets one in at a time", async () => {
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    };
    await Promise.all(
      Array.from({ length: 10 }, () => withRegistryLock(lock, { waitMs: 60_000 }, work)),
    );
    expect(most).toBe(1);
  });

  it("gives up after the wait, naming the owner, and leaves the lock", async () => {
    await withRegistryLock(lock, { waitMs: 0 }, async () => {
      await expect(takeNow()).rejects.toMatchObject({
        code: "registry_locked",
        message: expect.stringContaining(`process ${process.pid} on`),
      });
      expect(existsSync(lock)).toBe(true);
    });
  });

  it.each([
    ["a dead process", () => JSON.stringify({ pid: deadPid(), host: hostname(), started: "" })],
    [
      "an earlier process with this one's id",
      () => JSON.stringify({ pid: process.pid, host: hostname(), started: "1" }),
    ],
  ])("takes over the lock of %s", async (_, content) => {
    writeFileSync(lock, content());
    await expect(takeNow()).resolves.toContain(`"pid":${process.pid}`);
    expect(existsSync(lock)).toBe(false);
    expect(existsSync(`${lock}.break`)).toBe(false);
  });

  it("takes over a lock that was never finished, once it is old", async () => {
    writeFileSync(lock, "");
    await expect(takeNow()).rejects.toMatchObject({ code: "registry_locked" });
    utimesSync(lock, new Date(0), new Date(0));
    await expect(takeNow()).resolves.toContain("pid");
  });

  it("leaves the lock of another host, whose processes it cannot see", async () => {
    writeFileSync(lock, JSON.stringify({ pid: deadPid(), host: "elsewhere.example", started: "" }));
    await expect(takeNow()).rejects.toMatchObject({ code: "registry_locked" });
  });

  it("does not break a dead lock while another process is at it, unless that one is dead too", async () => {
    const dead = JSON.stringify({ pid: deadPid(), host: hostname(), started: "" });
    writeFileSync(lock, dead);
    writeFileSync(
      `${lock}.break`,
      JSON.stringify({ pid: process.pid, host: hostname(), started: "" }),
    );
    await expect(takeNow()).rejects.toMatchObject({ code: "registry_locked" });
    writeFileSync(`${lock}.break`, dead);
    await expect(
      withRegistryLock(lock, { waitMs: 10_000 }, () => Promise.resolve("in")),
    ).resolves.toBe("in");
  });

  it("stops waiting when it is aborted", async () => {
    await withRegistryLock(lock, { waitMs: 0 }, async () => {
      const controller = new AbortController();
      const waiting = withRegistryLock(lock, { waitMs: 60_000, signal: controller.signal }, () =>
        Promise.resolve(),
      );
      controller.abort();
      await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    });
  });
});
