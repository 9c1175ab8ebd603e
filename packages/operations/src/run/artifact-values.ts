import { sha256Hex } from "@ccl/core";
import type { ArtifactHandle, ArtifactStore } from "@ccl/artifact-store";

import { isArtifactEffect } from "../effects/is-effect-of.ts";
import { isLargerThan } from "../artifact/is-larger-than.ts";
import type { RunEvent } from "../events/run-event.ts";
import { OperationsError } from "../operations-error.ts";
import type { ChatStore, KeptWrite, TurnCommit } from "../ports/chat-store.ts";
import type { RunStep } from "../ports/run-step.ts";
import type { RunStore } from "../ports/run-store.ts";
import type { RunResult } from "../events/run-result.ts";

/** Where to store long values of artifacts. */
export interface ArtifactValueOptions {
  store: ArtifactStore;
  /** Values with more characters of JSON are offloaded. 16,384 by default. */
  aboveChars?: number | undefined;
  /**
   * Source of the handles, `operations` by default. If two run stores share the artifact store, each needs its own.
   * Otherwise one deletes values that only the other uses.
   */
  source?: string | undefined;
}

/** Stores that offload long values. */
export interface OffloadedStores {
  runs: RunStore;
  chat: ChatStore;
  /** Deletes the values that no run and no state uses any more. Returns how many. */
  sweep(options?: { signal?: AbortSignal | undefined }): Promise<number>;
}

/** Replaces a long value in a record. */
interface ValueHandle {
  cclArtifact: string;
  sizeBytes: number;
}

function isHandle(value: unknown): value is ValueHandle {
  return typeof value === "object" && value !== null && "cclArtifact" in value;
}

const defaultAboveChars = 16_384;
const decoder = new TextDecoder();

/**
 * Offloads long artifact values to an artifact store and keeps their handles in the records. Reads return the values.
 */
export function offloadValues(
  { runs, chat }: Pick<OffloadedStores, "runs" | "chat">,
  { store, aboveChars = defaultAboveChars, source = "operations" }: ArtifactValueOptions,
): OffloadedStores {
  const keep = async (value: unknown, runId: string): Promise<unknown> => {
    // A value that looks like a handle is offloaded too, so that a read never confuses the two.
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
    const message = `The artifact store no longer holds ${value.cclArtifact}, the value of an artifact.`;
    throw new OperationsError("store_failed", message);
  };
  return {
    runs: offloadRuns(runs, keep, resolve),
    chat: offloadChat(chat, keep, resolve),
    sweep: (call) => sweep({ runs, chat, store, source }, call),
  };
}

type Keep = (value: unknown, runId: string) => Promise<unknown>;
type Resolve = (value: unknown) => Promise<unknown>;

/** Replaces the values of a list, all of them concurrently. */
function changed<Item extends { value: unknown }>(
  items: readonly Item[],
  change: Resolve,
): Promise<Item[]> {
  return Promise.all(items.map(async (item) => ({ ...item, value: await change(item.value) })));
}

async function resultWith(result: RunResult, change: Resolve): Promise<RunResult> {
  return { ...result, artifacts: await changed(result.artifacts, change) };
}

function stepsWith(steps: readonly RunStep[], change: Resolve): Promise<RunStep[]> {
  return Promise.all(
    steps.map(async (step) => {
      if (step.kind !== "operation" || step.effects === undefined) return step;
      const effects = step.effects.map(async (effect) =>
        isArtifactEffect(effect) ? { ...effect, value: await change(effect.value) } : effect,
      );
      return { ...step, effects: await Promise.all(effects) };
    }),
  );
}

function eventsWith(events: readonly RunEvent[], change: Resolve): Promise<RunEvent[]> {
  return Promise.all(
    events.map(async (event) =>
      event.type === "run.finished" && event.result !== undefined
        ? { ...event, result: await resultWith(event.result, change) }
        : event,
    ),
  );
}

function offloadRuns(runs: RunStore, keep: Keep, resolve: Resolve): RunStore {
  return overriding(runs, {
    async append({ events, steps, result, commit, ...append }, call) {
      const change: Resolve = (value) => keep(value, append.runId);
      const kept = {
        ...append,
        events: await eventsWith(events, change),
        steps: await stepsWith(steps, change),
        result: result && (await resultWith(result, change)),
        commit: commit && (await commitWith(commit, keep)),
      };
      return runs.append(kept, call);
    },
    async loadRun(runId, call) {
      const stored = await runs.loadRun(runId, call);
      if (stored === undefined) return undefined;
      const { steps, result } = stored;
      return {
        ...stored,
        steps: await stepsWith(steps, resolve),
        result: result && (await resultWith(result, resolve)),
      };
    },
    readEvents: async (runId, options) =>
      eventsWith(await runs.readEvents(runId, options), resolve),
  });
}

function offloadChat(chat: ChatStore, keep: Keep, resolve: Resolve): ChatStore {
  const whole = (writes: readonly KeptWrite[]): Promise<KeptWrite[]> =>
    Promise.all(
      writes.map(async (kept) => {
        const value = await resolve(kept.write.value);
        return { ...kept, write: { ...kept.write, value } };
      }),
    );
  return overriding(chat, {
    async keptState(at, call) {
      const { heads, shown, hidden } = await chat.keptState(at, call);
      return { heads, shown: await whole(shown), hidden: await whole(hidden) };
    },
    writesOf: async (runId, call) => whole(await chat.writesOf(runId, call)),
    commitTurn: async (commit, call) => chat.commitTurn(await commitWith(commit, keep), call),
  });
}

async function commitWith(commit: TurnCommit, keep: Keep): Promise<TurnCommit> {
  const operations = commit.operations.map(async ({ write, ...operation }) => {
    if (write === undefined) return operation;
    const value = { ...write.value, value: await keep(write.value.value, commit.runId) };
    return { ...operation, write: { ...write, value } };
  });
  return { ...commit, operations: await Promise.all(operations) };
}

/** The store with some of its methods replaced. */
function overriding<Store extends object>(store: Store, own: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, key) {
      const member: unknown = Reflect.get(own, key) ?? Reflect.get(target, key);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

interface Sweeping {
  runs: RunStore;
  chat: ChatStore;
  store: ArtifactStore;
  source: string;
}

async function sweep(
  { store, source, ...records }: Sweeping,
  call: { signal?: AbortSignal | undefined } = {},
): Promise<number> {
  const gone: ArtifactHandle[] = [];
  // Handles are sorted by id, so those of one owner are consecutive.
  let owner: { sessionId: string; isShown: (artifactId: string) => boolean } | undefined;
  let cursor: string | undefined;
  do {
    const page = await store.listHandles({ ...call, source, cursor });
    for (const handle of page.handles) {
      const { sessionId = "", artifactId } = handle;
      if (owner?.sessionId !== sessionId)
        owner = { sessionId, isShown: await shownBy(records, sessionId, call) };
      if (!owner.isShown(artifactId)) gone.push(handle);
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  for (const { artifactId, handleId } of gone)
    await store.delete(artifactId, { ...call, handleId });
  const artifactIds = [...new Set(gone.map(({ artifactId }) => artifactId))];
  if (artifactIds.length > 0) await store.collectGarbage({ ...call, graceMs: 0, artifactIds });
  return gone.length;
}

/** Which values a run uses, in its record or in the state. An unfinished run may use any. */
async function shownBy(
  { runs, chat }: Pick<Sweeping, "runs" | "chat">,
  sessionId: string,
  call: { signal?: AbortSignal | undefined },
): Promise<(artifactId: string) => boolean> {
  const [runId = ""]: string[] = JSON.parse(sessionId);
  if ((await runs.loadRun(runId, call)) !== undefined) return () => true;
  const values = (await chat.writesOf(runId, call)).map(({ write }) => write.value);
  const ids = new Set(values.map((value) => (isHandle(value) ? value.cclArtifact : undefined)));
  return (artifactId) => ids.has(artifactId);
}
