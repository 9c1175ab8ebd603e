import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { acquireSessionLock } from "./session-lock.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-lock-"));
  path = join(folder, "s.lock");
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The pid of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await new Promise((resolve) => child.once("exit", resolve));
  return child.pid ?? 0;
}
const holder = (pid: number, host: string = hostname(), token: string = "0".repeat(24)): string =>
  JSON.stringify({ pid, started: "1", host, token });

describe("acquireSessionLock", () => {
  it("is given to one at a time", async () => {
    const locks = await Promise.all(Array.from({ length: 8 }, () => acquireSessionLock(path)));
    const held = locks.filter((lock) => lock !== undefined);
    expect(held).toHaveLength(1);
    expect(await acquireSessionLock(path)).toBeUndefined();
    await held[0]?.release();
    const next = await acquireSessionLock(path);
    expect(next).toBeDefined();
    await next?.release();
    expect(await readdir(folder)).toEqual([]);
  });

  it("is taken over from a process that ended, by one of many", async () => {
    await writeFile(path, holder(await deadPid()));
    const locks = await Promise.all(Array.from({ length: 8 }, () => acquireSessionLock(path)));
    expect(locks.filter((lock) => lock !== undefined)).toHaveLength(1);
    expect(await readdir(folder)).toEqual(["s.lock"]);
  });

  it("is taken over though the one who took it over before ended meanwhile", async () => {
    const pid = await deadPid();
    await writeFile(path, holder(pid));
    await writeFile(`${path}.over.${"0".repeat(24)}`, holder(pid, hostname(), "1".repeat(24)));
    expect(await acquireSessionLock(path)).toBeDefined();
    expect(await readdir(folder)).toEqual(["s.lock"]);
  });

  it("is not taken over from a process that lives, or may live on another machine", async () => {
    await writeFile(path, holder(await deadPid(), "elsewhere"));
    expect(await acquireSessionLock(path)).toBeUndefined();
    await writeFile(path, holder(process.pid));
    const isTold = (await readFile("/proc/self/stat").catch(() => undefined)) !== undefined;
    // Where the system tells when a process began, a pid that came again is no holder.
    expect((await acquireSessionLock(path)) !== undefined).toBe(isTold);
  });

  it("is not taken over from a holder that can't be read", async () => {
    await writeFile(path, "");
    expect(await acquireSessionLock(path)).toBeUndefined();
  });
});
