/**
 * Interleaves several users of shared functions, one call at a time, in an order that the test
 * chooses.
 */
export class CallScheduler {
  readonly #waiting = new Map<string, (() => void)[]>();
  /** Which user made which call, in order. */
  readonly trace: string[] = [];

  /** Wraps the functions for one user. Each named function waits for its turn. */
  view<Calls extends object>(
    user: string,
    calls: Calls,
    options: {
      names: readonly (keyof Calls & string)[];
      /** How the trace shows the first argument. By default the last segment of a path. */
      show?: ((argument: string) => string) | undefined;
    },
  ): Calls {
    const { names, show = lastSegment } = options;
    const scheduled: Partial<Record<keyof Calls, unknown>> = {};
    for (const name of names) {
      scheduled[name] = async (...args: unknown[]) => {
        await this.#turn(user, `${user} ${name} ${show(String(args[0] ?? ""))}`);
        const call: unknown = calls[name];
        if (typeof call !== "function") throw new Error(`${name} is no function.`);
        return Reflect.apply(call, calls, args);
      };
    }
    return Object.assign({ ...calls }, scheduled);
  }

  #turn(user: string, shown: string): Promise<void> {
    return new Promise((resolve) => {
      const start = (): void => {
        this.trace.push(shown);
        resolve();
      };
      this.#waiting.set(user, [...(this.#waiting.get(user) ?? []), start]);
    });
  }

  /**
   * Runs the users until they end. `choose` selects the next of the waiting users, which are sorted
   * by name. Everything except scheduled calls must settle within one turn of the event loop.
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
      const [start, ...later] = this.#waiting.get(user) ?? [];
      if (later.length > 0) this.#waiting.set(user, later);
      else this.#waiting.delete(user);
      start?.();
    }
    await all;
    await Promise.all(ends);
  }
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * Runs every order of the users' calls in which a user is interrupted up to `maxSwitches` times
 * while it could continue. Each order starts from the beginning. Returns the number of orders.
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
