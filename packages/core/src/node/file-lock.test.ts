import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { acquireFileLock, withFileLock, type FileLockOptions } from "./file-lock.ts";
import { ownProcessIdentity } from "./process-identity.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-lock-"));
  path = join(folder, "lock");
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const takeNow = (options: FileLockOptions = {}): Promise<string> =>
  withFileLock(path, { waitMs: 0, ...options }, () => readFile(path, "utf8"));
const deadPid = (): number => spawnSync(process.execPath, ["--version"]).pid;
const token = (digit: string): string => digit.repeat(32);

async function ownerText(change: Record<string, unknown> = {}): Promise<string> {
  return JSON.stringify({ ...(await ownProcessIdentity()), token: token("0"), ...change });
}

describe("withFileLock", () => {
  it("holds the lock only during the work, even if the work fails", async () => {
    expect(JSON.parse(await takeNow())).toMatchObject({ pid: process.pid });
    expect(await readdir(folder)).toEqual([]);
    const failing = withFileLock(path, {}, () => Promise.reject(new Error("no")));
    await expect(failing).rejects.toThrow("no");
    expect(await readdir(folder)).toEqual([]);
  });

  it("runs callers of one process one at a time, in order, however long each takes", async () => {
    const events: string[] = [];
    await symlink(folder, join(folder, "same"));
    const work = (index: number) => async (): Promise<void> => {
      events.push(`begin ${index}`);
      await new Promise((resolve) => setImmediate(resolve));
      events.push(`end ${index}`);
    };
    const indexes = Array.from({ length: 10 }, (_, index) => index);
    await Promise.all(
      indexes.map((index) =>
        withFileLock(
          index % 2 === 0 ? path : join(folder, "same/lock"),
          { waitMs: 0 },
          work(index),
        ),
      ),
    );
    expect(events).toEqual(indexes.flatMap((index) => [`begin ${index}`, `end ${index}`]));
  });

  it("gives a turn to a caller that arrives while the second one works", async () => {
    const events: string[] = [];
    let late: Promise<unknown> | undefined;
    const first = withFileLock(path, { waitMs: 0 }, async () => events.push("first"));
    const second = withFileLock(path, { waitMs: 0 }, async () => {
      late = withFileLock(path, { waitMs: 0 }, async () => events.push("late"));
      await new Promise((resolve) => setImmediate(resolve));
      events.push("second");
    });
    await Promise.all([first, second]);
    await late;
    expect(events).toEqual(["first", "second", "late"]);
  });

  it("stops waiting for its turn when aborted, without admitting a later caller early", async () => {
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const first = withFileLock(path, {}, () => finished);
    const controller = new AbortController();
    const second = withFileLock(path, { signal: controller.signal }, async () => "second");
    let isThird = false;
    const third = withFileLock(path, {}, async () => {
      isThird = true;
    });
    controller.abort();
    await expect(second).rejects.toMatchObject({ code: "aborted" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isThird).toBe(false);
    finish();
    await Promise.all([first, third]);
    expect(isThird).toBe(true);
  });

  it.each([
    ["of a dead process", async () => ownerText({ pid: deadPid() })],
    [
      "of an earlier process whose number a living one has",
      async () => ownerText({ started: 1, boot: (await ownProcessIdentity()).boot }),
    ],
    ["that was left before the last boot", () => ownerText({ boot: "earlier" })],
  ])("takes over a lock %s", async (_name, text) => {
    if ((await ownProcessIdentity()).boot === "") return;
    await writeFile(path, await text());
    expect(JSON.parse(await takeNow())).toMatchObject({ pid: process.pid });
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ["of a living process", {}],
    ["of another machine", { host: "elsewhere.example", pid: 1 }],
    ["of another container", { space: "pid:[1]" }],
  ])("never takes over a lock %s, whatever its age, and names its owner", async (_name, change) => {
    await writeFile(path, await ownerText(change));
    await utimes(path, 0, 0);
    await expect(takeNow()).rejects.toMatchObject({
      code: "locked",
      details: { path, owner: { pid: expect.any(Number), host: expect.any(String) } },
      message: expect.stringMatching(/^Process \d+ on host \S+ holds the lock /),
    });
    expect(await readdir(folder)).toEqual(["lock"]);
  });

  it("takes over a lock of another machine after the time that the caller sets", async () => {
    await writeFile(path, await ownerText({ host: "elsewhere.example" }));
    await expect(takeNow({ abandonedAfterMs: 60_000 })).rejects.toMatchObject({ code: "locked" });
    await utimes(path, 0, 0);
    expect(JSON.parse(await takeNow({ abandonedAfterMs: 60_000 }))).toMatchObject({
      pid: process.pid,
    });
  });

  it.each(["", "{", '{"pid":1,"host":"x"}', "\0".repeat(90), "[]", "null"])(
    "takes over a lock file that names no owner once it is old: %j",
    async (text) => {
      await writeFile(path, text);
      await expect(takeNow()).rejects.toMatchObject({ code: "locked" });
      await utimes(path, 0, 0);
      expect(JSON.parse(await takeNow())).toMatchObject({ pid: process.pid });
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it("removes files of processes that were killed while they took over a lock", async () => {
    const dead = { pid: deadPid() };
    await writeFile(path, await ownerText(dead));
    const left = {
      [`${token("0")}.claim`]: await ownerText({ ...dead, token: token("1") }),
      [`${token("1")}.claim`]: await ownerText({ ...dead, token: token("2") }),
      [`${token("3")}.claim`]: await ownerText({ ...dead, token: token("4") }),
      [`${token("5")}.new`]: await ownerText({ ...dead, token: token("5") }),
      [`${token("6")}.new`]: "",
    };
    for (const [name, text] of Object.entries(left)) {
      await writeFile(`${path}.${name}`, text);
      await utimes(`${path}.${name}`, 0, 0);
    }
    await writeFile(`${path}.${token("7")}.new`, await ownerText({ token: token("7") }));
    await writeFile(join(folder, "lock.else"), "");
    expect(JSON.parse(await takeNow())).toMatchObject({ pid: process.pid });
    expect(await readdir(folder)).toEqual([`lock.${token("7")}.new`, "lock.else"]);
  });

  it("reports that it cannot lock if the folder does not exist", async () => {
    await expect(withFileLock(join(folder, "no/lock"), {}, takeNow)).rejects.toMatchObject({
      code: "write_failed",
      cause: { code: "ENOENT" },
    });
  });
});

describe("acquireFileLock", () => {
  it("is granted to one caller at a time, and to the next after its release", async () => {
    const held = await acquireFileLock(path);
    await expect(acquireFileLock(path, { waitMs: 30 })).rejects.toMatchObject({ code: "locked" });
    const next = acquireFileLock(path);
    await Promise.all([held.release(), held.release()]);
    const later = await next;
    await held.release();
    await expect(acquireFileLock(path, { waitMs: 0 })).rejects.toMatchObject({ code: "locked" });
    await later.release();
    expect(await readdir(folder)).toEqual([]);
  });

  it("is granted to exactly one of many callers that find a dead owner and do not wait", async () => {
    await writeFile(path, await ownerText({ pid: deadPid() }));
    const tries = Array.from({ length: 8 }, () => acquireFileLock(path, { waitMs: 0 }));
    const given = (await Promise.allSettled(tries)).filter(({ status }) => status === "fulfilled");
    expect(given).toHaveLength(1);
    expect(await readdir(folder)).toEqual(["lock"]);
  });

  it.skipIf(process.platform !== "linux")("closes every file that it reads", async () => {
    const openFiles = async (): Promise<number> => (await readdir("/proc/self/fd")).length;
    const held = await acquireFileLock(path);
    const before = await openFiles();
    const tries = Array.from({ length: 20 }, () => acquireFileLock(path, { waitMs: 0 }));
    await Promise.allSettled(tries);
    expect(await openFiles()).toBeLessThan(before + 10);
    await held.release();
  });

  it("does not remove a lock that another owner has acquired since", async () => {
    const held = await acquireFileLock(path);
    await writeFile(path, await ownerText());
    await held.release();
    expect(await readFile(path, "utf8")).toBe(await ownerText());
  });

  it("stops waiting when it is aborted", async () => {
    const held = await acquireFileLock(path);
    const controller = new AbortController();
    const waiting = acquireFileLock(path, { waitMs: Infinity, signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    await held.release();
  });
});
