interface Waiting<Item, Outcome> {
  item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** Lets calls of concurrent tasks join a group, though each awaits a few promises before its call. */
const idleTurns = 16;
/** Limits the duration of a group. */
const maxItems = 500;
/** SQLite calls never yield to the event loop, so timers and requests get a turn after this many milliseconds. */
const maxBusyMs = 20;

/**
 * Executes calls that wait at the same time together: `run` returns an outcome for each item. Calls that arrive while a
 * group runs wait for the next one. If a group fails, each of its calls is executed alone.
 */
export function groupCalls<Item, Outcome>(
  run: (items: readonly Item[]) => Promise<readonly Outcome[]>,
): (item: Item) => Promise<Outcome> {
  let waiting: Waiting<Item, Outcome>[] = [];
  let isBusy = false;
  let turn: { since: number; begun: Promise<void> } | undefined;
  const letLoopTurn = async (): Promise<void> => {
    if (turn === undefined) {
      const begun = new Promise<void>((resolve) =>
        setTimeout(() => {
          turn = undefined;
          resolve();
        }),
      );
      turn = { since: Date.now(), begun };
    }
    if (Date.now() - turn.since > maxBusyMs) await turn.begun;
  };
  const settle = async (group: readonly Waiting<Item, Outcome>[]): Promise<void> => {
    try {
      const outcomes = await run(group.map(({ item }) => item));
      for (const [at, { resolve }] of group.entries()) resolve(outcomes[at] as Outcome);
    } catch (error) {
      if (group.length > 1) for (const call of group) await settle([call]);
      else group[0]?.reject(error);
    }
  };
  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      await letLoopTurn();
      for (let idle = 0, seen = 0; idle < idleTurns; idle += 1) {
        await undefined;
        if (waiting.length > seen) idle = 0;
        seen = waiting.length;
      }
      const group = waiting.slice(0, maxItems);
      waiting = waiting.slice(maxItems);
      await settle(group);
    }
    isBusy = false;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isBusy) return;
      isBusy = true;
      void work();
    });
}
