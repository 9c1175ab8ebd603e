import type { FileSystem } from "../src/file-system/file-system.ts";

/** Names that another process can see change; between two of these calls nothing that matters can come. */
const visibleCalls = [
  "create",
  "status",
  "open",
  "list",
  "link",
  "rename",
  "unlink",
  "setTime",
] as const;

/** Lets several users of one file system go on one call at a time, in an order that the test chooses. */
export class CallScheduler {
  readonly #waiting = new Map<string, (() => void)[]>();
  /** Who made which call, in order. */
  readonly trace: string[] = [];

  /** The file system as that user has it: each visible call waits for its turn. */
  view(user: string, fs: FileSystem): FileSystem {
    const turn = (call: string, path: string): Promise<void> =>
      new Promise((resolve) => {
        const go = (): void => {
          this.trace.push(
            `${user} ${call} ${path.slice(path.lastIndexOf("/") + 1).replace(/^[0-9a-f]{64}/, "X")}`,
          );
          resolve();
        };
        this.#waiting.set(user, [...(this.#waiting.get(user) ?? []), go]);
      });
    const scheduled: Partial<Record<(typeof visibleCalls)[number], unknown>> = {};
    for (const call of visibleCalls) {
      scheduled[call] = async (path: string, ...rest: string[]) => {
        await turn(call, path);
        return Reflect.apply(fs[call], fs, [path, ...rest]);
      };
    }
    return Object.assign({ ...fs }, scheduled);
  }

  /**
   * Runs the users to their ends. `choose` picks who goes next among those who wait, sorted by name; what is not a file
   * call is over within a turn of the event loop.
   */
  async run(
    users: Record<string, () => Promise<unknown>>,
    choose: (waiting: string[]) => string,
  ): Promise<void> {
    const active = new Set(Object.keys(users));
    const ends = Object.entries(users).map(([user, work]) =>
      work().finally(() => active.delete(user)),
    );
    const all = Promise.allSettled(ends);
    while (active.size > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const waiting = [...this.#waiting.keys()].sort();
      if (waiting.length === 0) continue;
      const user = choose(waiting);
      const [go, ...later] = this.#waiting.get(user) ?? [];
      if (later.length > 0) this.#waiting.set(user, later);
      else this.#waiting.delete(user);
      go?.();
    }
    await all;
    await Promise.all(ends);
  }
}

/**
 * Every order of the users' calls in which one is interrupted at most `maxSwitches` times while it could go on. The run is
 * repeated from the start for each order; gives how many there were.
 */
export async function inEveryOrder(
  maxSwitches: number,
  run: (choose: (waiting: string[]) => string) => Promise<void>,
): Promise<number> {
  let count = 0;
  const open: string[][] = [[]];
  for (let forced = open.pop(); forced !== undefined; forced = open.pop()) {
    const given = forced;
    const taken: string[] = [];
    let last: string | undefined;
    let switches = 0;
    await run((waiting) => {
      const at = taken.length;
      const kept = last !== undefined && waiting.includes(last) ? last : waiting[0];
      const user = given[at] ?? kept ?? "";
      if (at >= given.length) {
        for (const other of waiting.filter((each) => each !== user)) {
          const isSwitch = last !== undefined && waiting.includes(last);
          if (switches + (isSwitch ? 1 : 0) <= maxSwitches) open.push([...taken, other]);
        }
      }
      if (last !== undefined && waiting.includes(last) && user !== last) switches += 1;
      taken.push(user);
      last = user;
      return user;
    });
    count += 1;
  }
  return count;
}
