import { sha256Hex } from "@ccl/core";
import type { ArtifactHandle, ArtifactStore } from "@ccl/artifact-store";

import { isArtifactEffect } from "../effects/is-effect-of.ts";
import { isLargerThan } from "../effects/is-larger-than.ts";
import type { RunEvent } from "../events/run-event.ts";
import { OperationsError } from "../operations-error.ts";
import type { ProfileSessionKey, ProfileSessionStore } from "../ports/profile-session-store.ts";
import type { RunStep } from "../ports/run-step.ts";
import type { RunStore } from "../ports/run-store.ts";
import type { RunResult } from "./run-result.ts";

/** Where long values of artifacts are kept. */
export interface ArtifactValueOptions {
  store: ArtifactStore;
  /** Values with more characters of JSON go there; default 16,384. */
  aboveChars?: number | undefined;
  /** Of the handles; default `operations`. Name another where two run stores share the artifact store: what neither run nor state of it shows is deleted. */
  source?: string | undefined;
}

/** Stores whose long values stand elsewhere. */
export interface OffloadedStores {
  runs: RunStore;
  sessions: ProfileSessionStore;
  /** Deletes the values that no run and no state shows any more; gives how many. */
  sweep(options?: { signal?: AbortSignal | undefined }): Promise<number>;
}

/** What stands in a record instead of a long value. */
interface ValueHandle {
  cclArtifact: string;
  sizeBytes: number;
}

function isHandle(value: unknown): value is ValueHandle {
  return typeof value === "object" && value !== null && "cclArtifact" in value;
}

const defaultAboveChars = 16_384;
const maxOwnerChars = 512;
const decoder = new TextDecoder();

/** Who a value is kept for: a run, or a state that the run has written. */
type Owner = readonly [runId: string, state?: ProfileSessionKey];

/** Keeps long artifact values in an artifact store and their handles in the records; reading gives the values. */
export function offloadValues(
  { runs, sessions }: { runs: RunStore; sessions: ProfileSessionStore },
  { store, aboveChars = defaultAboveChars, source = "operations" }: ArtifactValueOptions,
): OffloadedStores {
  const keep = async (value: unknown, owner: Owner): Promise<unknown> => {
    // A value that looks like a handle is kept too, so that reading never takes it for one.
    if (!isLargerThan(value, aboveChars) && !isHandle(value)) return value;
    const sessionId = JSON.stringify(owner);
    if (sessionId.length > maxOwnerChars) return value;
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
    sessions: offloadSessions(sessions, keep, resolve),
    sweep: (call) => sweep({ runs, sessions, store, source }, call),
  };
}

type Keep = (value: unknown, owner: Owner) => Promise<unknown>;
type Resolve = (value: unknown) => Promise<unknown>;

/** The list with new values, each of them changed beside the others. */
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
    async append(appends, call) {
      const kept = appends.map(async ({ events, steps, result, ...append }) => {
        const change: Resolve = (value) => keep(value, [append.runId]);
        return {
          ...append,
          events: await eventsWith(events, change),
          steps: await stepsWith(steps, change),
          result: result && (await resultWith(result, change)),
        };
      });
      return runs.append(await Promise.all(kept), call);
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

function offloadSessions(
  sessions: ProfileSessionStore,
  keep: Keep,
  resolve: Resolve,
): ProfileSessionStore {
  const whole = async (
    snapshot: ReturnType<ProfileSessionStore["read"]>,
  ): ReturnType<ProfileSessionStore["read"]> => {
    const { artifacts, heads } = await snapshot;
    const resolved = (await changed(artifacts, resolve)).map(async (artifact) => ({
      ...artifact,
      history: await changed(artifact.history, resolve),
    }));
    return { artifacts: await Promise.all(resolved), heads };
  };
  return overriding(sessions, {
    read: (key, call) => whole(sessions.read(key, call)),
    openTurn: (key, turn, call) => whole(sessions.openTurn(key, turn, call)),
    async versions(key, call) {
      return changed(await sessions.versions(key, call), resolve);
    },
    async commit(commit, call) {
      const { runId, key } = commit;
      const change: Resolve = (value) => keep(value, [runId, keyOf(key)]);
      const writes = commit.writes.map(async (entry) => ({
        ...entry,
        write: { ...entry.write, value: await change(entry.write.value) },
      }));
      return sessions.commit({ ...commit, writes: await Promise.all(writes) }, call);
    },
  });
}

/** In one order, so that the same state is the same owner. */
function keyOf(key: ProfileSessionKey): ProfileSessionKey {
  const { chatId, branchId, profileId, operationProfileSessionId } = key;
  return { chatId, branchId, profileId, operationProfileSessionId };
}

/** The store with some methods of ours. */
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
  sessions: ProfileSessionStore;
  store: ArtifactStore;
  source: string;
}

async function sweep(
  { store, source, ...records }: Sweeping,
  call: { signal?: AbortSignal | undefined } = {},
): Promise<number> {
  const gone: ArtifactHandle[] = [];
  // Handles of one owner follow each other by their id.
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

/** Which values an owner shows; a run that goes on may show any. */
async function shownBy(
  { runs, sessions }: Pick<Sweeping, "runs" | "sessions">,
  sessionId: string,
  call: { signal?: AbortSignal | undefined },
): Promise<(artifactId: string) => boolean> {
  const [runId, state]: Owner = JSON.parse(sessionId);
  const run = await runs.loadRun(runId, call);
  if (run !== undefined && (state === undefined || run.result === undefined)) return () => true;
  if (state === undefined) return () => false;
  const shown = (await sessions.versions(state, call)).map(({ value }) => value);
  const ids = new Set(shown.map((value) => (isHandle(value) ? value.cclArtifact : undefined)));
  return (artifactId) => ids.has(artifactId);
}
