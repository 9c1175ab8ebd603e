import { afterEach, describe, expect, it, vi } from "vitest";
import { acquire, isWithoutHardLinks, type LockFiles, type LockSystem } from "./file-lock.ts";

const path = "/lock";
const token = "0".repeat(32);
const owner = { host: "one", boot: "b", space: "s", pid: 9, started: 1, token };

const systemError = (code: string): Error => Object.assign(new Error(code), { code });

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/**
 * A file system in memory whose calls fail by name and path. All other owners are alive. Pauses
 * take no time.
 */
function systemWith(
  content: Record<string, { text: string; ageMs: number }>,
  failing: Partial<Record<keyof LockFiles, (name: string) => string | undefined>> = {},
): LockSystem & { names(): string[]; pauses: number[]; lists: string[] } {
  let passedMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => passedMs);
  const lists: string[] = [];
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
    lists,
    names: () => [...files.keys()],
    files: {
      create: async (name, text) => {
        passedMs += Number(failing.create?.(name) ?? 0);
        files.set(name, { text, modifiedMs: Date.now() });
      },
      link: async (from, to) => {
        if (files.has(to)) throw systemError("EEXIST");
        files.set(to, find("link", from));
      },
      read: async (name) => find("read", name),
      unlink: async (name) => {
        find("unlink", name);
        files.delete(name);
      },
      list: async (folder) => {
        lists.push(folder);
        return [];
      },
    },
    identity: async () => ({ ...owner, pid: 1 }),
    stateOf: async () => "alive",
    pause: async (ms) => {
      pauses.push(ms);
      passedMs += ms;
    },
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
  ])("names no owner if one of its members has the wrong type: %j", async (change) => {
    const whole = systemWith({ [path]: old(owner) });
    await expect(acquire(whole, path, { waitMs: 0 })).rejects.toMatchObject({ code: "locked" });
    const system = systemWith({ [path]: old({ ...owner, ...change }) });
    await (await acquire(system, path, { waitMs: 0 })).release();
    expect(system.names()).toEqual([]);
  });

  // A time in the future means that the clock has been set back since.
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

  it("that cannot be read or removed is an error of the disk and not another owner's lock", async () => {
    const torn = { [path]: { text: "", ageMs: 60_000 } };
    const unreadable = systemWith(torn, { read: () => "EIO" });
    await expect(acquire(unreadable, path, { waitMs: 0 })).rejects.toThrow("EIO");
    const stuck = systemWith(torn, { unlink: (name) => (name === path ? "EIO" : undefined) });
    await expect(acquire(stuck, path, { waitMs: 0 })).rejects.toThrow("EIO");
    expect(stuck.names()).toContain(path);
  });

  it("that another process removes at the same moment is free", async () => {
    let reads = 0;
    const system = systemWith(
      { [path]: { text: "", ageMs: 60_000 } },
      { read: (name) => (name === path && (reads += 1) === 2 ? "ENOENT" : undefined) },
    );
    const link = system.files.link.bind(system.files);
    system.files.link = async (from, to) => {
      if (to === path) await system.files.unlink(path).catch(() => undefined);
      return link(from, to);
    };
    await (await acquire(system, path, { waitMs: 0 })).release();
    expect(system.names()).toEqual([]);
  });
});

describe("a wait", () => {
  const waitMs = 60;
  it.each([
    [0, [0.5, 1, 2, 4, 8, 12.5, 12.5, 12.5, 7]],
    [1, [1, 2, 4, 8, 16, 25, 4]],
  ])("polls less and less often and ends on time: %d", async (random, pauses) => {
    vi.spyOn(Math, "random").mockReturnValue(random);
    const system = systemWith({ [path]: old(owner) });
    await expect(acquire(system, path, { waitMs })).rejects.toMatchObject({ code: "locked" });
    expect(system.pauses).toEqual(pauses);
  });

  it("takes ten seconds by default, and one millisecond if the caller says so", async () => {
    for (const [options, ms] of [
      [{}, 10_000],
      [{ waitMs: 1 }, 1],
    ] as const) {
      const system = systemWith({ [path]: old(owner) });
      await expect(acquire(system, path, options)).rejects.toMatchObject({ code: "locked" });
      expect(system.pauses.reduce((sum, each) => sum + each, 0)).toBeCloseTo(ms);
    }
  });

  it("is not needed for a free lock, which also skips the search for files of dead processes", async () => {
    const system = systemWith({});
    await (await acquire(system, path, {})).release();
    expect([system.pauses, system.lists]).toEqual([[], []]);
    const dead = systemWith({ [path]: { text: "", ageMs: 60_000 } });
    await (await acquire(dead, path, {})).release();
    expect(dead.lists).toEqual(["/"]);
  });
});

describe("a disk without hard links", () => {
  const linkless = (ms: number): ReturnType<typeof systemWith> =>
    systemWith(
      {},
      { link: () => "EPERM", create: (name) => (name === path ? String(ms) : undefined) },
    );

  it("grants a lock if the file names its owner quickly", async () => {
    const system = linkless(900);
    const lock = await acquire(system, path, { waitMs: 0 });
    expect(system.names()).toEqual([path]);
    await lock.release();
    expect(system.names()).toEqual([]);
  });

  it("grants no lock if it took so long that others may have seen a torn file", async () => {
    const system = linkless(1_100);
    const taking = acquire(system, path, { waitMs: 0 });
    await expect(taking).rejects.toMatchObject({ code: "locked" });
    expect(system.names()).toEqual([]);
  });

  it.each(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV", "EISDIR"])(
    "is recognised by %s, and by no similar code",
    (code) => {
      expect(isWithoutHardLinks(systemError(code))).toBe(true);
      expect(isWithoutHardLinks(systemError(`${code}X`))).toBe(false);
    },
  );
});

// On Windows a file that another process has open can be neither read nor removed.
it.each(["EPERM", "EACCES", "EBUSY"])(
  "%s means a taken file on Windows, and an error elsewhere",
  async (code) => {
    for (const [platform, outcome] of [
      ["win32", { code: "locked" }],
      ["linux", { message: code }],
    ] as const) {
      vi.stubGlobal("process", { ...process, platform });
      const system = systemWith({ [path]: old(owner) }, { read: () => code });
      await expect(acquire(system, path, { waitMs: 0 })).rejects.toMatchObject(outcome);
    }
  },
);

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

  it("ends even if the file stays, and the next caller of this process removes it", async () => {
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
