import { createUuidV7Generator, systemClock, type Clock, type IdGenerator } from "@ccl/core";
import type {
  ArtifactHandle,
  ArtifactStore,
  CollectGarbageOptions,
  DeleteOptions,
  HandleKey,
  HandlePage,
  ListHandlesOptions,
  RetrieveOptions,
  StoreItem,
} from "../artifact-store.ts";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import { CallScope } from "../store/call-scope.ts";
import {
  checkCount,
  checkHandleId,
  checkRange,
  checkText,
  invalidInput,
  markNew,
} from "../store/check-input.ts";
import { OpenStreams } from "../store/open-streams.ts";
import { takeItems, type TakenItem } from "../store/put-artifacts.ts";
import { cleanSummary, summarizeContent } from "../summary/summarize-content.ts";
import { deriveKeys, type EncryptionKeys } from "./derive-keys.ts";
import { isOwn, openHandle, sealedMimeType, sealFields } from "./handle-sealer.ts";
import { openSegments } from "./open-segments.ts";
import { sealContent, spoolSource, type SealedContent } from "./seal-content.ts";

/** Options of an encrypted store. */
export interface EncryptionOptions {
  /** 32 random bytes that the application stores safely. Without them, nothing can be read. */
  key: Uint8Array;
  clock?: Clock | undefined;
  ids?: IdGenerator | undefined;
}

interface EncryptedContext {
  store: ArtifactStore;
  keys: EncryptionKeys;
  clock: Clock;
  ids: IdGenerator;
}

/**
 * Wraps a store so that content, summaries and types are encrypted at rest. Sizes, times, sources and sessions stay
 * readable. Ids are the SHA-256 of the ciphertext, which is the same for the same bytes and key. Artifacts encrypted
 * with other keys are not visible. `collectGarbage` and `verify` cover the whole inner store, including those
 * artifacts, and report its ids. Closing this store closes the inner store.
 */
export function withEncryption(store: ArtifactStore, options: EncryptionOptions): ArtifactStore {
  const { clock = systemClock } = options;
  const keys = deriveKeys(options.key);
  const context = {
    store,
    keys,
    clock,
    ids: options.ids ?? createUuidV7Generator({ clock }),
  };
  const scope = new CallScope("encrypted");
  const streams = new OpenStreams(scope);
  return {
    store: (content, options) =>
      scope.run(options, async () => {
        const [handle] = await storeSealed(context, [{ ...options, content }], options?.signal);
        if (handle === undefined) throw invalidInput("Nothing was given to store.");
        return handle;
      }),
    storeMany: (items, options) =>
      scope.run(options, () => storeSealed(context, items, options?.signal)),
    retrieve: (artifactId, options = {}) =>
      scope.run(options, () => readPlain(context, artifactId, options)),
    retrieveStream: (artifactId, options = {}) =>
      scope.run(options, async () => {
        const stream = await openPlain(context, artifactId, options);
        return stream && streams.guard(stream.plain, options.signal);
      }),
    exists: (artifactId, options) =>
      scope.run(options, async () => {
        const handles = await ownHandles(context, artifactId, options?.signal);
        return handles.length > 0 && store.exists(artifactId, { signal: options?.signal });
      }),
    getHandles: (artifactId, options) =>
      scope.run(options, async () =>
        openHandles(keys, await ownHandles(context, artifactId, options?.signal)),
      ),
    listHandles: (options = {}) => scope.run(options, () => listOwn(context, options)),
    delete: (artifactId, options = {}) =>
      scope.run(options, () => deleteOwn(context, artifactId, options)),
    collectGarbage: (options) =>
      scope.run(options, async () => {
        if (options?.dryRun !== true && options?.graceMs >= 0)
          await dropOldSpools(context, options);
        return store.collectGarbage(options);
      }),
    verify: (options) => scope.run(options, () => store.verify(options)),
    close: () =>
      scope.close(async () => {
        await streams.end();
        await store.close();
      }),
  };
}

async function storeSealed(
  context: EncryptedContext,
  items: readonly StoreItem[],
  signal: AbortSignal | undefined,
): Promise<ArtifactHandle[]> {
  const taken = takeItems(items);
  const { store, keys } = context;
  const cleanUps: (() => Promise<unknown>)[] = [];
  try {
    const inner: StoreItem[] = [];
    for (const item of taken) {
      const sealed = await sealContent(item.content, { store, keys, cleanUps, signal });
      inner.push(await sealItem(context, item, sealed));
    }
    const handles = await store.storeMany(inner, { signal });
    return await openHandles(keys, handles);
  } finally {
    await Promise.allSettled(cleanUps.map((cleanUp) => cleanUp()));
  }
}

async function sealItem(
  { keys, clock, ids }: EncryptedContext,
  { source, mimeType, sessionId, summary: given, expectedId, imported }: TakenItem,
  { content, head, sizeBytes }: SealedContent,
): Promise<StoreItem> {
  const facts = { head, sizeBytes, isCut: sizeBytes > head.length, mimeType, source };
  const summary =
    imported?.summary ?? (given === undefined ? summarizeContent(facts) : cleanSummary(given));
  const handleId = imported?.handleId ?? checkHandleId(ids.next());
  const sealed = {
    handleId,
    createdAt: imported?.createdAt ?? clock.now(),
    summary: await sealFields(keys, handleId, { summary, mimeType }),
  };
  return {
    content,
    source,
    mimeType: sealedMimeType,
    imported: markNew(sealed, imported),
    sessionId,
    expectedId,
  };
}

function openHandles(
  keys: EncryptionKeys,
  handles: readonly ArtifactHandle[],
): Promise<ArtifactHandle[]> {
  return Promise.all(handles.map((handle) => openHandle(keys, handle)));
}

async function ownHandles(
  { store, keys }: EncryptedContext,
  artifactId: string,
  signal: AbortSignal | undefined,
): Promise<ArtifactHandle[]> {
  return (await store.getHandles(artifactId, { signal })).filter((handle) => isOwn(keys, handle));
}

async function openPlain(
  context: EncryptedContext,
  artifactId: string,
  { range, signal }: RetrieveOptions,
): Promise<{ handle: ArtifactHandle; plain: AsyncGenerator<Uint8Array, void> } | undefined> {
  checkRange(range);
  const [handle] = await ownHandles(context, artifactId, signal);
  if (handle === undefined) return undefined;
  const { store, keys } = context;
  const plain = await openSegments({
    store,
    keys,
    artifactId,
    storedBytes: handle.sizeBytes,
    range,
    signal,
  });
  return plain && { handle: await openHandle(keys, handle), plain };
}

async function readPlain(
  context: EncryptedContext,
  artifactId: string,
  options: RetrieveOptions,
): Promise<Uint8Array | undefined> {
  const opened = await openPlain(context, artifactId, options);
  if (opened === undefined) return undefined;
  const { start, end = Infinity } = options.range ?? { start: 0 };
  const bytes = new Uint8Array(Math.max(0, Math.min(end, opened.handle.sizeBytes) - start));
  let at = 0;
  for await (const piece of opened.plain) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** Skips handles of other keys, so one page may need several pages of the inner store. */
async function listOwn(
  { store, keys }: EncryptedContext,
  options: ListHandlesOptions,
): Promise<HandlePage> {
  const { limit = 100 } = options;
  checkCount("limit", limit, 1, 1000);
  const handles: ArtifactHandle[] = [];
  const damaged: HandleKey[] = [];
  let cursor = options.cursor;
  do {
    const page = await store.listHandles({
      ...options,
      limit: limit - handles.length - damaged.length,
      cursor,
    });
    const own = page.handles.filter((handle) => isOwn(keys, handle));
    handles.push(...(await openHandles(keys, own)));
    // The keys of a damaged handle are unknown.
    damaged.push(...(page.damaged ?? []));
    cursor = page.cursor;
  } while (cursor !== undefined && handles.length + damaged.length < limit);
  const rest = damaged.length === 0 ? {} : { damaged };
  return cursor === undefined ? { handles, ...rest } : { handles, ...rest, cursor };
}

async function deleteOwn(
  context: EncryptedContext,
  artifactId: string,
  { handleId, sessionId, signal }: DeleteOptions,
): Promise<boolean> {
  if (handleId !== undefined) checkHandleId(handleId);
  if (sessionId !== undefined) checkText("sessionId", sessionId);
  const handles = await wholeHandles(context, artifactId, signal);
  // A damaged handle is not in this list. Its keys are unknown, so matching its id is enough.
  if (handleId !== undefined && handles.every((handle) => handle.handleId !== handleId))
    return context.store.delete(artifactId, { handleId, sessionId, signal });
  const matches = handles.filter(
    (handle) =>
      isOwn(context.keys, handle) &&
      (handleId === undefined || handle.handleId === handleId) &&
      (sessionId === undefined || handle.sessionId === sessionId),
  );
  let isDeleted = false;
  for (const { handleId } of matches) {
    isDeleted = (await context.store.delete(artifactId, { handleId, signal })) || isDeleted;
  }
  return isDeleted;
}

/** Returns the undamaged handles of an artifact. Empty if all are damaged. */
async function wholeHandles(
  { store }: EncryptedContext,
  artifactId: string,
  signal: AbortSignal | undefined,
): Promise<ArtifactHandle[]> {
  try {
    return await store.getHandles(artifactId, { signal });
  } catch (error) {
    if (ArtifactStoreError.isInstance(error) && error.code === "damaged") return [];
    throw error;
  }
}

const oldestSpoolMs = 24 * 60 * 60 * 1000;

/**
 * Removes spools of processes that died while encrypting a long stream. Keeps recent ones, which a process may still
 * need.
 */
async function dropOldSpools(
  { store, clock }: EncryptedContext,
  options: CollectGarbageOptions,
): Promise<void> {
  const until = clock.now() - Math.max(options.graceMs, oldestSpoolMs);
  let cursor: string | undefined;
  do {
    const page = await store.listHandles({
      source: spoolSource,
      cursor,
      signal: options.signal,
    });
    for (const { artifactId, handleId, createdAt } of page.handles) {
      if (createdAt <= until) await store.delete(artifactId, { handleId });
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
}
