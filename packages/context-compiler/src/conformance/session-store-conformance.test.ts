import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../session/session-event.ts";
import { createMemorySessionStore } from "../session-store/create-memory-session-store.ts";
import type { SessionStore } from "../session-store/session-store.ts";
import { sessionStoreConformance } from "./index.ts";

type SessionStoreHooks = Parameters<typeof sessionStoreConformance>[0];

async function failures(options: SessionStoreHooks): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of sessionStoreConformance(options)) {
    await run().catch(() => failed.push(name));
  }
  return failed;
}

/** A store over a memory store that keeps its data when it is closed and opened again. */
function durable(data: SessionStore): SessionStore {
  let isClosed = false;
  const guard = async <Value>(call: () => Promise<Value>): Promise<Value> => {
    if (!isClosed) return call();
    const closed = createMemorySessionStore();
    await closed.close();
    await closed.listSessions();
    return call();
  };
  return {
    append: (...args) => guard(() => data.append(...args)),
    read: (...args) => guard(() => data.read(...args)),
    listSessions: (...args) => guard(() => data.listSessions(...args)),
    deleteSession: (...args) => guard(() => data.deleteSession(...args)),
    saveState: (...args) => guard(() => data.saveState(...args)),
    loadState: (...args) => guard(() => data.loadState(...args)),
    async close() {
      isClosed = true;
    },
  };
}

const datas = new WeakMap<SessionStore, SessionStore>();
function openDurable(data: SessionStore = createMemorySessionStore()): SessionStore {
  const store = durable(data);
  datas.set(store, data);
  return store;
}
const sound: SessionStoreHooks = {
  open: async () => openDurable(),
  async reopen(store) {
    await store.close();
    return openDurable(datas.get(store));
  },
  openSecond: async (store) => openDurable(datas.get(store)),
};

type Fault = (store: SessionStore) => Partial<SessionStore>;
const broken: [string, string, Fault][] = [
  [
    "turns a batch round",
    "events come back to the byte and in order",
    (store) => ({
      append: async (id, events, options) => {
        const kept =
          events.length === 7 && options.expectedVersion === 7 ? events.toReversed() : events;
        return store.append(id, kept, options);
      },
    }),
  ],
  [
    "gives the size of the batch instead of the version",
    "append gives the new number of events",
    (store) => ({
      append: async (id, events, options) => {
        const version = await store.append(id, events, options);
        return events.length === 1 && version === 4 ? 1 : version;
      },
    }),
  ],
  [
    "refuses only writers that are behind",
    "an append at another version than the session's is refused whole",
    (store) => ({
      append: async (id, events, options) => {
        const { events: log } = await store.read(id);
        const isAhead = options.expectedVersion === log.length + 1 && events.length > 0;
        return store.append(
          id,
          events,
          isAhead ? { ...options, expectedVersion: log.length } : options,
        );
      },
    }),
  ],
  [
    "creates a session of no events",
    "an append of no events changes nothing and creates nothing",
    (store) => {
      const created: string[] = [];
      return {
        append: async (id, events, options) => {
          if (events.length === 0) created.push(id);
          return store.append(id, events, options);
        },
        listSessions: async (options) => {
          const page = await store.listSessions(options);
          return { ...page, sessionIds: [...page.sessionIds, ...created] };
        },
      };
    },
  ],
  [
    "gives a cursor after a page that was the last",
    "pages hold as many events as asked for, and the last has no cursor",
    (store) => ({
      read: async (id, options) => {
        const page = await store.read(id, options);
        return options?.limit === 9 ? { ...page, cursor: "9" } : page;
      },
    }),
  ],
  [
    "counts the cursor from the end",
    "a cursor goes on where its page ended, though events were added",
    (store) => {
      const sizes = new Map<string, number>();
      return {
        read: async (id, options = {}) => {
          const all = (await store.read(id)).events.length;
          const begun = sizes.get(id) ?? all;
          sizes.set(id, begun);
          if (options.cursor === undefined) return store.read(id, options);
          return store.read(id, {
            ...options,
            cursor: String(Number(options.cursor) + all - begun),
          });
        },
      };
    },
  ],
  [
    "cuts long texts",
    "an event of a megabyte comes back whole",
    (store) => ({
      append: (id, events, options) => store.append(id, events.map(cut), options),
    }),
  ],
  [
    "takes ids of different case for one",
    "sessions are apart, whatever their ids",
    (store) => ({
      saveState: (id, state, options) => store.saveState(id.toLowerCase(), state, options),
      loadState: (id, key, options) => store.loadState(id.toLowerCase(), key, options),
    }),
  ],
  [
    "lists by locale",
    "sessions are listed in the order of their code units, page by page",
    (store) => ({
      listSessions: async (options) => {
        const page = await store.listSessions(options);
        return { ...page, sessionIds: page.sessionIds.toSorted((a, b) => a.localeCompare(b)) };
      },
    }),
  ],
  [
    "lists sessions that have only state",
    "only sessions with events are listed",
    (store) => {
      const stateful = new Set<string>();
      return {
        saveState: async (id, { key, json }, options) => {
          if (id === "stateful") stateful.add(id);
          return store.saveState(id, { key, json }, options);
        },
        listSessions: async (options) => {
          const page = await store.listSessions(options);
          return { ...page, sessionIds: [...page.sessionIds, ...stateful].sort() };
        },
      };
    },
  ],
  [
    "keeps the state of a deleted session",
    "a deleted session is gone with its state, and can begin anew",
    (store) => ({
      deleteSession: async (id, options) => {
        const state = await store.loadState(id, "key", options).catch(() => undefined);
        const isDeleted = await store.deleteSession(id, options);
        if (isDeleted && state !== undefined)
          await store.saveState(id, { key: "key", json: state });
        return isDeleted;
      },
    }),
  ],
  [
    "always says that it deleted",
    "deleting says whether there was a session",
    (store) => ({
      deleteSession: async (id, options) => {
        await store.deleteSession(id, options);
        return true;
      },
    }),
  ],
  [
    "keeps the first state",
    "state is kept under its key, and the last write wins",
    (store) => ({
      saveState: async (id, { key, json }, options) => {
        if (json === "[1]") return;
        await store.saveState(id, { key, json }, options);
      },
    }),
  ],
  [
    "takes undefined for an empty text",
    "state that is set to undefined is gone",
    (store) => ({
      saveState: (id, { key, json }, options) =>
        store.saveState(id, { key, json: json ?? "" }, options),
    }),
  ],
  [
    "counts state as an event",
    "state changes no version",
    (store) => {
      const extra = new Map<string, number>();
      return {
        saveState: async (id, { key, json }, options) => {
          const { events } = await store.read(id);
          if (events.length > 0 && key === "a") extra.set(id, 1);
          await store.saveState(id, { key, json }, options);
        },
        append: async (id, events, options) => {
          return store.append(id, events, {
            ...options,
            expectedVersion: options.expectedVersion - (extra.get(id) ?? 0),
          });
        },
      };
    },
  ],
  [
    "takes any id",
    "ids and keys that are empty, too long, or hold control characters are refused",
    (store) => ({ read: (id, options) => store.read(id === "" ? "empty" : id, options) }),
  ],
  [
    "takes any limit",
    "versions, limits and cursors out of bounds are refused",
    (store) => ({
      read: (id, options = {}) =>
        store.read(id, { ...options, ...(options.limit === 0 ? { limit: 1 } : {}) }),
    }),
  ],
  [
    "does not look at signals",
    "a call whose signal is aborted changes nothing",
    (store) => ({
      append: (id, events, { expectedVersion }) => store.append(id, events, { expectedVersion }),
    }),
  ],
  [
    "gives out its own list",
    "what the caller does with its lists reaches no log",
    (store) => {
      const lists = new Map<string, SessionEvent[]>();
      return {
        read: async (id, options) => {
          const page = await store.read(id, options);
          const isWhole = page.events.length === 2 && page.cursor === undefined;
          if (!isWhole) return page;
          const own = lists.get(id) ?? page.events;
          lists.set(id, own);
          return { events: own };
        },
      };
    },
  ],
  [
    "can't be closed",
    "a closed store refuses every call, and closes twice",
    () => ({ close: async () => undefined }),
  ],
];

function cut(event: SessionEvent): SessionEvent {
  if (event.kind !== "user_input" || typeof event.data.content !== "string") return event;
  return { ...event, data: { ...event.data, content: event.data.content.slice(0, 65_536) } };
}

describe("sessionStoreConformance", () => {
  it("finds nothing wrong with a sound store", async () => {
    expect(await failures(sound)).toEqual([]);
  });

  it.each(broken)("a store that %s fails the rule that names it", async (_name, rule, fault) => {
    const open = async (): Promise<SessionStore> => {
      const store = openDurable();
      return { ...store, ...fault(store) };
    };
    expect(await failures({ open })).toEqual([rule]);
  });

  it("finds a store that forgets, one with two winners, and one that reads what was changed", async () => {
    const forgetful = { ...sound, reopen: async () => openDurable() };
    expect(await failures(forgetful)).toEqual(["events and state outlive the store"]);
    const apart = { ...sound, openSecond: async () => openDurable() };
    expect(await failures(apart)).toEqual([
      "of two handles that write one session one wins, and the other reads what was written",
    ]);
    const trusting = { ...sound, damage: async () => undefined };
    expect(await failures(trusting)).toEqual([
      "an event that was changed behind the store's back is reported",
    ]);
  });

  it("has no rules for what an adapter does not promise", () => {
    const names = sessionStoreConformance({ open: sound.open }).map(({ name }) => name);
    expect(sessionStoreConformance(sound)).toHaveLength(names.length + 2);
    expect(new Set(names).size).toBe(names.length);
  });
});
