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

/** Files in memory, where a call fails as its name and path say; everybody else is alive. Pauses take no time. */
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

  it("that another process removes in the same moment is free", async () => {
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
  ])("looks less and less often and ends on time: %d", async (random, pauses) => {
    vi.spyOn(Math, "random").mockReturnValue(random);
    const system = systemWith({ [path]: old(owner) });
    await expect(acquire(system, path, { waitMs })).rejects.toMatchObject({ code: "locked" });
    expect(system.pauses).toEqual(pauses);
  });

  it("is of ten seconds where nothing is said, and of one millisecond where that is", async () => {
    for (const [options, ms] of [
      [{}, 10_000],
      [{ waitMs: 1 }, 1],
    ] as const) {
      const system = systemWith({ [path]: old(owner) });
      await expect(acquire(system, path, options)).rejects.toMatchObject({ code: "locked" });
      expect(system.pauses.reduce((sum, each) => sum + each, 0)).toBeCloseTo(ms);
    }
  });

  it("is not needed for a free lock, nor does that look for what dead processes left", async () => {
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

  it("gives a lock to one whose name stands in the file at once", async () => {
    const system = linkless(900);
    const lock = await acquire(system, path, { waitMs: 0 });
    expect(system.names()).toEqual([path]);
    await lock.release();
    expect(system.names()).toEqual([]);
  });

  it("gives none to one so slow that others may have taken its file for a torn one", async () => {
    const system = linkless(1_100);
    const taking = acquire(system, path, { waitMs: 0 });
    await expect(taking).rejects.toMatchObject({ code: "locked" });
    expect(system.names()).toEqual([]);
  });

  it.each(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV", "EISDIR"])(
    "says %s, and a fault of another kind is none of it",
    (code) => {
      expect(isWithoutHardLinks(systemError(code))).toBe(true);
      expect(isWithoutHardLinks(systemError(`${code}X`))).toBe(false);
    },
  );
});

// On Windows a file that another process has open can be neither read nor removed for that moment.
it.each(["EPERM", "EACCES", "EBUSY"])(
  "%s is a taken file on Windows, elsewhere a fault",
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
