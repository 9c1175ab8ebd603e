import type { KeyValue } from "@ccl/records";
import type { AbstractLevel } from "abstract-level";

/** Records in LevelDB or any other `abstract-level`, which one process at a time can open. */
export function recordsOverLevel<Format>(level: AbstractLevel<Format, string, string>): KeyValue {
  let turn: Promise<unknown> = Promise.resolve();
  return {
    get: (keys) => level.getMany([...keys]),
    list: ({ from, before, limit }) => level.iterator({ gte: from, lt: before, limit }).all(),
    commit({ checks, writes }) {
      // LevelDB writes a batch atomically, but checks nothing, so commits run one after the other.
      const done = turn.then(async () => {
        const texts = await level.getMany(checks.map(([key]) => key));
        if (checks.some(([, text], at) => texts[at] !== text)) return false;
        await level.batch(
          writes.map(([key, value]) =>
            value === undefined ? { type: "del", key } : { type: "put", key, value },
          ),
        );
        return true;
      });
      turn = done.catch(() => undefined);
      return done;
    },
    close: () => level.close(),
  };
}
