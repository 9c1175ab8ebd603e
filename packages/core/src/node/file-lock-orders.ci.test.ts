import { describe, expect, it } from "vitest";
import { CallScheduler, inEveryOrder } from "../testing/node/call-scheduler.ts";
import { acquire, type LockFiles, type LockSystem } from "./file-lock.ts";
import { NodeIoError } from "./node-io-error.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import { byLength } from "../../../../scripts/lengths/test-length.mjs";

const pids = byLength({ test: [1, 2], faults: [1, 2, 3] });
const switches = byLength({ test: 2, nightly: 3 });
const path = "/lock";

/** Simulates a process that ended in the middle of its calls. */
class Killed extends Error {}

interface FileContent {
  text: string;
  modifiedMs: number;
}

/**
 * Processes with numbers from 1, files in memory, and a count of the processes inside at the same
 * time.
 */
class World {
  readonly scheduler: CallScheduler = new CallScheduler();
  readonly files: Map<string, FileContent> = new Map();
  readonly dead: Set<number> = new Set();
  overlaps = 0;
  acquired = 0;
  #inside = 0;

  add(name: string, text: string): void {
    this.files.set(name, { text, modifiedMs: 0 });
  }

  /**
   * The system as a process sees it. The process is killed before the call with the number
   * `killAt`.
   */
  system(pid: number, { killAt = Infinity, hasLinks = true } = {}): LockSystem {
    let calls = 0;
    const live = (): void => {
      calls += 1;
      if (calls > killAt) this.dead.add(pid);
      if (this.dead.has(pid)) throw new Killed();
    };
    const find = (name: string): FileContent => {
      live();
      const found = this.files.get(name);
      if (found === undefined) throw systemError("ENOENT");
      return found;
    };
    const files: LockFiles = {
      create: async (name, text) => {
        live();
        if (this.files.has(name)) throw systemError("EEXIST");
        this.files.set(name, { text, modifiedMs: Date.now() });
      },
      link: async (from, to) => {
        const found = find(from);
        if (!hasLinks) throw systemError("EPERM");
        if (this.files.has(to)) throw systemError("EEXIST");
        this.files.set(to, found);
      },
      read: async (name) => ({ ...find(name) }),
      unlink: async (name) => {
        find(name);
        this.files.delete(name);
      },
      list: async () => {
        live();
        return [...this.files.keys()].map((name) => name.slice(1));
      },
    };
    const names = ["create", "link", "read", "unlink", "list"] as const;
    return {
      files: this.scheduler.view(String(pid), files, { names }),
      identity: async () => identityOf(pid),
      stateOf: async (other) => (this.dead.has(other.pid) ? "dead" : "alive"),
      pause: async () => undefined,
    };
  }

  /** Tries once to enter, and makes one call inside. */
  async enter(pid: number, take: () => Promise<{ release(): Promise<void> }>): Promise<void> {
    try {
      const lock = await take();
      if (this.dead.has(pid)) return;
      this.acquired += 1;
      this.#inside += 1;
      if (this.#inside > 1) this.overlaps += 1;
      const inside = { stay: async () => undefined };
      await this.scheduler.view(String(pid), inside, { names: ["stay"] }).stay();
      this.#inside -= 1;
      await lock.release();
    } catch (error) {
      if (NodeIoError.isInstance(error) && error.code === "locked") return;
      if (!(error instanceof Killed)) throw error;
    }
  }
}

function identityOf(pid: number): ProcessIdentity {
  return { host: "one", boot: "b", space: "s", pid, started: 1 };
}

function ownerText(pid: number): string {
  return JSON.stringify({ ...identityOf(pid), token: String(pid % 10).repeat(32) });
}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function usersOf(enter: (pid: number) => () => Promise<void>): Record<string, () => Promise<void>> {
  return Object.fromEntries(pids.map((pid) => [pid, enter(pid)]));
}

/** The disk before the first call. Processes from number 7 on are dead. */
const beginnings: Record<string, (world: World) => void> = {
  "there is no lock": () => undefined,
  "there is the lock of a dead process": (world) => world.add(path, ownerText(9)),
  "a process died while it took over the lock of another": (world) => {
    world.add(path, ownerText(9));
    world.add(`${path}.${"9".repeat(32)}.claim`, ownerText(8));
  },
  "there is a lock file that names no owner": (world) => world.add(path, ""),
  "a process died while it took over a lock file that names no owner": (world) => {
    world.add(path, "{");
    world.add(`${path}.torn.claim`, ownerText(8));
  },
};

function createWorld(begin: (world: World) => void): World {
  const world = new World();
  for (const pid of [7, 8, 9]) world.dead.add(pid);
  begin(world);
  return world;
}

async function run(
  world: World,
  users: Record<string, () => Promise<void>>,
  choose: (waiting: string[]) => string,
): Promise<void> {
  await world.scheduler.run(users, choose);
  if (world.overlaps > 0) throw new Error(`Overlap after: ${world.scheduler.trace.join(", ")}`);
}

describe.each(Object.entries(beginnings))("a lock, when %s", (_name, begin) => {
  it.each([true, false])(
    "admits one process at a time, and always one of them, in every order (hard links: %s)",
    async (hasLinks) => {
      const count = await inEveryOrder(switches, async (choose) => {
        const world = createWorld(begin);
        const enter = (pid: number) => (): Promise<void> => {
          const system = world.system(pid, { hasLinks });
          return world.enter(pid, () => acquire(system, path, { waitMs: 0 }));
        };
        await run(world, usersOf(enter), choose);
        expect(world.acquired).toBeGreaterThan(0);
        expect([...world.files.keys()]).toEqual([]);
      });
      expect(count).toBeGreaterThan(20);
    },
  );

  it("admits one process at a time, and later others, wherever one is killed", async () => {
    for (let killAt = 0; killAt < 18; killAt += 1) {
      await inEveryOrder(switches - 1, async (choose) => {
        const world = createWorld(begin);
        const enter =
          (pid: number, at = Infinity) =>
          (): Promise<void> => {
            const system = world.system(pid, { killAt: at });
            return world.enter(pid, () => acquire(system, path, { waitMs: 0 }));
          };
        await run(world, { ...usersOf(enter), 1: enter(1, killAt) }, choose);
        const before = world.acquired;
        await run(world, { 4: enter(4) }, ([user = ""]) => user);
        expect(world.acquired).toBe(before + 1);
      });
    }
  });
});

it("the check detects two processes inside: a lock that removes what it has read", async () => {
  const naive = async ({
    files,
    stateOf,
    identity,
  }: LockSystem): Promise<{ release(): Promise<void> }> => {
    const own = await identity();
    const found = await files.read(path).catch(() => undefined);
    if (found !== undefined) {
      const owner: ProcessIdentity = JSON.parse(found.text);
      if ((await stateOf(owner)) !== "dead") throw new NodeIoError("locked", "busy");
      await files.unlink(path).catch(() => undefined);
    }
    await files.create(path, JSON.stringify(own)).catch(() => {
      throw new NodeIoError("locked", "busy");
    });
    return { release: () => files.unlink(path).catch(() => undefined) };
  };
  let overlaps = 0;
  await inEveryOrder(2, async (choose) => {
    const world = createWorld((each) => each.add(path, ownerText(9)));
    const enter = (pid: number) => (): Promise<void> =>
      world.enter(pid, () => naive(world.system(pid)));
    await world.scheduler.run(usersOf(enter), choose);
    overlaps += world.overlaps;
  });
  expect(overlaps).toBeGreaterThan(0);
});
