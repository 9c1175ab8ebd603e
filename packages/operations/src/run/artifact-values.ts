import { sha256Hex } from "@ccl/core";
import type { ArtifactHandle, ArtifactStore } from "@ccl/artifact-store";
import { isRecord } from "@ccl/core/json";

import { isLargerThan } from "../artifact/is-larger-than.ts";
import { OperationsError } from "../operations-error.ts";
import type { ChatStore, KeptWrite, StoreCall } from "../ports/chat-store.ts";
import type { RunStore } from "../ports/run-store.ts";

/** Where to store long artifact values. */
export interface ArtifactValueOptions {
  store: ArtifactStore;
  /** Values longer than this as JSON are offloaded. Defaults to 16,384 characters. */
  aboveChars?: number | undefined;
  /**
   * Source of the handles. Defaults to `operations`. If two run stores share the artifact store, each needs its own
   * source. Otherwise one deletes values that only the other uses.
   */
  source?: string | undefined;
}

/** A store that offloads long values. */
export interface OffloadedRuns {
  runs: RunStore;
  /** Deletes values that no run and no state uses any more. Returns their number. */
  sweep(call?: StoreCall): Promise<number>;
}

/** Replaces a long value in a record. */
interface ValueHandle {
  cclArtifact: string;
  sizeBytes: number;
}

function isHandle(value: unknown): value is ValueHandle {
  return isRecord(value) && "cclArtifact" in value;
}

const defaultAboveChars = 16_384;
const decoder = new TextDecoder();

/**
 * Offloads long artifact values to an artifact store and keeps their handles in the records. Reads return the original
 * values.
 */
export function offloadValues(
  runs: RunStore,
  { store, aboveChars = defaultAboveChars, source = "operations" }: ArtifactValueOptions,
): OffloadedRuns {
  const keep = async (value: unknown, runId: string): Promise<unknown> => {
    // Values that look like a handle are offloaded too, so that reads never confuse the two.
    if (!isLargerThan(value, aboveChars) && !isHandle(value)) return value;
    const sessionId = JSON.stringify([runId]);
    const imported = { handleId: sha256Hex(sessionId), createdAt: 0, summary: "" };
    const mimeType = "application/json";
    const options = { source, sessionId, mimeType, imported };
    const { artifactId, sizeBytes } = await store.store(JSON.stringify(value), options);
    return { cclArtifact: artifactId, sizeBytes } satisfies ValueHandle;
  };
  const resolve = async (value: unknown): Promise<unknown> => {
    if (!isHandle(value)) return value;
    const bytes = await store.retrieve(value.cclArtifact);
    if (bytes !== undefined) return JSON.parse(decoder.decode(bytes));
    const message = `The artifact store no longer has ${value.cclArtifact}, the value of an artifact.`;
    throw new OperationsError("damaged", message);
  };
  return {
    runs: offloadRuns(runs, keep, resolve),
    async sweep(call = {}) {
      const gone: ArtifactHandle[] = [];
      // Handles are sorted by id, so those of one owner are adjacent.
      let owner: { sessionId: string; isShown: (artifactId: string) => boolean } | undefined;
      let cursor: string | undefined;
      do {
        const page = await store.listHandles({ ...call, source, cursor });
        for (const handle of page.handles) {
          const { sessionId = "", artifactId } = handle;
          if (owner?.sessionId !== sessionId)
            owner = { sessionId, isShown: await shownBy(runs, sessionId, call) };
          if (!owner.isShown(artifactId)) gone.push(handle);
        }
        cursor = page.cursor;
      } while (cursor !== undefined);
      for (const { artifactId, handleId } of gone)
        await store.delete(artifactId, { ...call, handleId });
      const artifactIds = [...new Set(gone.map(({ artifactId }) => artifactId))];
      if (artifactIds.length > 0) await store.collectGarbage({ ...call, graceMs: 0, artifactIds });
      return gone.length;
    },
  };
}

type Keep = (value: unknown, runId: string) => Promise<unknown>;
type Resolve = (value: unknown) => Promise<unknown>;

/** Paths of artifact values within records. */
const valuesOf = {
  effects: "*.effects.*.value",
  result: "artifacts.*.value",
  events: "*.result.artifacts.*.value",
  writes: "*.write.value",
  commit: "operations.*.write.value.value",
};

/** Returns a copy with the values at a path replaced, all concurrently. `*` stands for each item of a list. */
async function changedAt<Value>(record: Value, place: string, change: Resolve): Promise<Value> {
  const changed = async (part: unknown, [key, ...keys]: string[]): Promise<unknown> => {
    if (key === undefined) return change(part);
    if (Array.isArray(part)) return Promise.all(part.map((item) => changed(item, keys)));
    if (!isRecord(part) || part[key] === undefined) return part;
    return { ...part, [key]: await changed(part[key], keys) };
  };
  // Changes only values, whose type is unknown.
  return (await changed(record, place.split("."))) as Value;
}

function offloadRuns(runs: RunStore, keep: Keep, resolve: Resolve): RunStore {
  return overriding(runs, {
    chat: offloadChat(runs.chat, resolve),
    async append(append, call) {
      const change: Resolve = (value) => keep(value, append.runId);
      const { events, steps, result, commit } = append;
      const kept = {
        ...append,
        events: await changedAt(events, valuesOf.events, change),
        steps: await changedAt(steps, valuesOf.effects, change),
        result: await changedAt(result, valuesOf.result, change),
        commit: await changedAt(commit, valuesOf.commit, change),
      };
      return runs.append(kept, call);
    },
    async loadRun(runId, call) {
      const stored = await runs.loadRun(runId, call);
      if (stored === undefined) return undefined;
      const steps = await changedAt(stored.steps, valuesOf.effects, resolve);
      const result = await changedAt(stored.result, valuesOf.result, resolve);
      return { ...stored, steps, result };
    },
    readEvents: async (runId, options) =>
      changedAt(await runs.readEvents(runId, options), valuesOf.events, resolve),
  });
}

function offloadChat(chat: ChatStore, resolve: Resolve): ChatStore {
  const whole = <Writes extends readonly KeptWrite[]>(writes: Writes): Promise<Writes> =>
    changedAt(writes, valuesOf.writes, resolve);
  return overriding(chat, {
    async keptState(at, call) {
      const { heads, shown, hidden } = await chat.keptState(at, call);
      return { heads, shown: await whole(shown), hidden: await whole(hidden) };
    },
    writesOf: async (runId, call) => whole(await chat.writesOf(runId, call)),
  });
}

/** Returns the store with some of its methods overridden. */
function overriding<Store extends object>(store: Store, own: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, key) {
      const member: unknown = Reflect.get(own, key) ?? Reflect.get(target, key);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** Returns which values a run uses, in its record or in the state. An unfinished run may use any value. */
async function shownBy(
  runs: RunStore,
  sessionId: string,
  call: StoreCall,
): Promise<(artifactId: string) => boolean> {
  const [runId = ""]: string[] = JSON.parse(sessionId);
  if ((await runs.loadRun(runId, call)) !== undefined) return () => true;
  const values = (await runs.chat.writesOf(runId, call)).map(({ write }) => write.value);
  const ids = new Set(values.map((value) => (isHandle(value) ? value.cclArtifact : undefined)));
  return (artifactId) => ids.has(artifactId);
}
