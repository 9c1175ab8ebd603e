import { describe, expect, it } from "vitest";
import { acquire, type LockFiles, type LockSystem } from "./file-lock.ts";

const path = "/lock";
const token = "0".repeat(32);
const owner = { host: "one", boot: "b", space: "s", pid: 9, started: 1, token };

const systemError = (code: string): Error => Object.assign(new Error(code), { code });

/** Files in memory, where a call fails as its name and path say; everybody else is alive. */
function systemWith(
  content: Record<string, { text: string; ageMs: number }>,
  failing: Partial<Record<keyof LockFiles, (name: string) => string | undefined>> = {},
): LockSystem & { names(): string[]; pauses: number[] } {
  const files = new Map(
    Object.entries(content).map(([name, { text, ageMs }]) => [
      name,
      { text, modifiedMs: Date.now() - ageMs },
    ]),
  );
  const pauses: number[] = [];
  const find = (call: keyof LockFiles, name: string): { text: string; modifiedMs: number } => {
    const code = failing[call]?.(name);
    if (code !== undefined) throw systemError(code);
    const found = files.get(name);
    if (found === undefined) throw systemError("ENOENT");
    return found;
  };
  return {
    pauses,
    names: () => [...files.keys()],
    files: {
      create: async (name, text) => void files.set(name, { text, modifiedMs: Date.now() }),
      link: async (from, to) => {
        if (files.has(to)) throw systemError("EEXIST");
        files.set(to, find("link", from));
      },
      read: async (name) => find("read", name),
      unlink: async (name) => {
        find("unlink", name);
        files.delete(name);
      },
      list: async () => [],
    },
    identity: async () => ({ ...owner, pid: 1 }),
    stateOf: async () => "alive",
    pause: async (ms) => void pauses.push(ms),
  };
}

const old = (value: unknown): { text: string; ageMs: number } => ({
  text: JSON.stringify(value),
  ageMs: 60_000,
});

describe("a lock file", () => {
  it.each([
    { host: 1 },
    { boot: undefined },
    { space: null },
    { pid: "9" },
    { pid: 0 },
    { started: "1" },
    { token: 0 },
    { token: "../x" },
  ])("names no owner where a part of it is of another kind: %j", async (change) => {
    const whole = systemWith({ [path]: old(owner) });
    await expect(acquire(whole, path, { waitMs: 0 })).rejects.toMatchObject({ code: "locked" });
    const system = systemWith({ [path]: old({ ...owner, ...change }) });
    await (await acquire(system, path, { waitMs: 0 })).release();
    expect(system.names()).toEqual([]);
  });

  // A time in the future is that of a clock that was set back since.
  it.each([1_500, -1_500])("that names no owner is left alone: %d ms", async (ageMs) => {
    const system = systemWith({ [path]: { text: "", ageMs } });
    const taking = acquire(system, path, { waitMs: 0 });
    await expect(taking).rejects.toMatchObject({ code: "locked" });
  });

  it.each([2_500, -60_000])("that names no owner is taken over: %d ms", async (ageMs) => {
    const system = systemWith({ [path]: { text: "", ageMs } });
    await (await acquire(system, path, { waitMs: 0 })).release();
    expect(system.names()).toEqual([]);
  });

  it("that cannot be read or removed is a fault of the disk and not somebody's lock", async () => {
    const torn = { [path]: { text: "", ageMs: 60_000 } };
    const unreadable = systemWith(torn, { read: () => "EIO" });
    await expect(acquire(unreadable, path, { waitMs: 0 })).rejects.toThrow("EIO");
    const stuck = systemWith(torn, { unlink: (name) => (name === path ? "EIO" : undefined) });
    await expect(acquire(stuck, path, { waitMs: 0 })).rejects.toThrow("EIO");
    expect(stuck.names()).toContain(path);
  });
});

describe("a release", () => {
  it("tries again while another process has the file open", async () => {
    let left = 4;
    const system = systemWith(
      {},
      {
        unlink: (name) => (name === path && left-- > 0 ? "EEXIST" : undefined),
      },
    );
    await (await acquire(system, path, {})).release();
    expect(system.names()).toEqual([]);
    expect(system.pauses).toEqual([25, 25, 25, 25]);
  });

  it("ends where the file stays, and the next caller of this process removes it", async () => {
    let isOpen = true;
    const system = systemWith(
      {},
      {
        unlink: (name) => (name === path && isOpen ? "EEXIST" : undefined),
      },
    );
    await (await acquire(system, path, {})).release();
    expect(system.names()).toEqual([path]);
    expect(system.pauses).toHaveLength(5);
    await expect(acquire(system, path, { waitMs: 0 })).rejects.toMatchObject({ code: "locked" });
    isOpen = false;
    await (await acquire(system, path, { waitMs: 0 })).release();
    expect(system.names()).toEqual([]);
  });
});
