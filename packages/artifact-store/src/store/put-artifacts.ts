import { throwIfAborted } from "@ccl/core/async";
import type { ArtifactContent, ArtifactHandle, StoreItem, StoreLimits } from "../artifact-store.ts";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import type { BlobPut, CommitOutcome, StagedBlob } from "../artifact-driver.ts";
import { cleanSummary, summarizeContent } from "../summary/summarize-content.ts";
import { invalidInput, isNew, type ItemFacts, takeFacts } from "./check-input.ts";
import { repairIfDamaged } from "./repair-if-damaged.ts";
import { prepareContent, takeContent, type PreparedContent } from "./prepare-content.ts";
import { copyHandle, sortHandles, type StoreContext } from "./store-context.ts";

/** Snapshot of an item at the time of the call. */
export interface TakenItem extends ItemFacts {
  content: ReturnType<typeof takeContent>;
  mimeType: string;
}

interface ReadyPut {
  handle: ArtifactHandle;
  item: TakenItem;
  content: PreparedContent;
}

/** Takes a snapshot of each item. */
export function takeItems(items: readonly StoreItem[]): TakenItem[] {
  if (!Array.isArray(items)) throw invalidInput("storeMany takes an array of items.");
  return Array.from(items, (item: StoreItem) => takeItem(item?.content, item));
}

/**
 * Takes a snapshot of an item. Must be called before the first `await`, since the caller may change the content later.
 */
export function takeItem(given: ArtifactContent, options: Omit<StoreItem, "content">): TakenItem {
  const facts = takeFacts(options);
  const isText = typeof given === "string";
  const mimeType =
    facts.mimeType ?? (isText ? "text/plain; charset=utf-8" : "application/octet-stream");
  return { ...facts, mimeType, content: takeContent(given) };
}

/** Stores all items or none. Returns their handles in the order of the items. */
export async function putArtifacts(
  context: StoreContext,
  items: readonly TakenItem[],
  signal: AbortSignal | undefined,
): Promise<ArtifactHandle[]> {
  if (items.length === 0) return [];
  const staged: StagedBlob[] = [];
  try {
    const prepared: { item: TakenItem; content: PreparedContent; summary: string }[] = [];
    for (const item of items) {
      const maxBytes = largestArtifact(context.limits, item.sessionId);
      const { driver } = context;
      const content = await prepareContent(item.content, { driver, maxBytes, staged, signal });
      checkExpected(item, content);
      prepared.push({ item, content, summary: summaryOf(item, content) });
    }
    throwIfAborted(signal, ArtifactStoreError);
    const puts = prepared.map((each) => ({ ...each, handle: makeHandle(context, each) }));
    const groups = groupPuts(puts);
    const inOrder = [...groups.values()];
    const blobs = inOrder.map(({ put }) => put);
    const { driver, limits, clock } = context;
    const outcomes = await driver.commit(blobs, { limits, now: clock.now(), signal });
    // The artifacts are stored now, so an abort no longer has an effect.
    if (outcomes.includes("present")) await settlePresent(context, { inOrder, outcomes, puts });
    return puts.map(({ handle }) => {
      const known = groups
        .get(handle.artifactId)
        ?.known.find(({ handleId }) => handleId === handle.handleId);
      return known === undefined ? handle : copyHandle(known);
    });
  } finally {
    if (staged.length > 0) await Promise.allSettled(staged.map((blob) => blob.discard()));
  }
}

interface Committed {
  inOrder: readonly PutGroup[];
  outcomes: readonly CommitOutcome[];
  puts: readonly ReadyPut[];
}

/** Reads back and repairs blobs that were already there. Handles that were already there stay as they are. */
async function settlePresent(
  context: StoreContext,
  { inOrder, outcomes, puts }: Committed,
): Promise<void> {
  try {
    for (const [index, group] of inOrder.entries()) {
      if (outcomes[index] !== "present") continue;
      await repairIfDamaged(context, group.put);
      if (group.mayRepeat) group.known = await knownHandles(context, group.put);
    }
  } catch (error) {
    await takeBack(context, puts);
    throw error;
  }
}

/** Returns the handles of an existing blob, after replacing damaged ones that are being stored again. */
async function knownHandles(
  { driver, limits, clock }: StoreContext,
  put: BlobPut,
): Promise<ArtifactHandle[]> {
  const { artifactId } = put.record;
  const { handles, damaged = [] } = sortHandles(await driver.getHandles(artifactId, {}));
  const ids = new Set(damaged.map(({ handleId }) => handleId));
  const again = put.handles.filter(({ handleId }) => ids.has(handleId));
  for (const { handleId } of again)
    await driver.removeHandles(artifactId, { handleId }, { now: clock.now() });
  if (again.length > 0)
    await driver.commit([{ ...put, handles: again }], { limits, now: clock.now() });
  return handles;
}

/** Removes the new handles if a damaged blob could not be repaired, because the put then fails. */
async function takeBack(
  { driver, clock }: StoreContext,
  ready: readonly ReadyPut[],
): Promise<void> {
  const removals = ready
    .filter(({ item }) => item.imported === undefined)
    .map(({ handle: { artifactId, handleId } }) =>
      driver.removeHandles(artifactId, { handleId }, { now: clock.now() }),
    );
  await Promise.allSettled(removals);
}

/** The items that share one blob. */
interface PutGroup {
  put: BlobPut & { handles: ArtifactHandle[] };
  /** True if one of its handles may already have been in the store. */
  mayRepeat: boolean;
  /** Imported handles that the store already has. */
  known: readonly ArtifactHandle[];
}

/**
 * Creates one put for each blob. Content with the same id has the same bytes. Of several handles with one id, the first
 * is kept.
 */
function groupPuts(ready: readonly ReadyPut[]): Map<string, PutGroup> {
  const groups = new Map<string, PutGroup>();
  for (const { handle, item, content } of ready) {
    const { imported } = item;
    const { record, content: bytes } = content;
    const group = groups.get(handle.artifactId) ?? {
      put: { record, content: bytes, handles: [] },
      mayRepeat: false,
      known: [],
    };
    groups.set(handle.artifactId, group);
    const { handles } = group.put;
    if (imported && handles.some(({ handleId }) => handleId === imported.handleId))
      group.known = handles;
    else handles.push(copyHandle(handle));
    group.mayRepeat ||= imported !== undefined && !isNew(imported);
  }
  return groups;
}

/** Returns the maximum size of a single artifact, regardless of what could be evicted. */
function largestArtifact(limits: StoreLimits, sessionId: string | undefined): number {
  const {
    maxArtifactBytes = Infinity,
    maxStoreBytes = Infinity,
    maxSessionBytes = Infinity,
  } = limits;
  return Math.min(
    maxArtifactBytes,
    maxStoreBytes,
    sessionId === undefined ? Infinity : maxSessionBytes,
  );
}

function checkExpected({ expectedId }: TakenItem, { record }: PreparedContent): void {
  if (expectedId === undefined || expectedId === record.artifactId) return;
  throw new ArtifactStoreError(
    "id_mismatch",
    `The content has the id ${record.artifactId}, but ${expectedId} was expected; nothing was stored.`,
    { details: { expectedId, artifactId: record.artifactId } },
  );
}

function summaryOf(item: TakenItem, { record, head }: PreparedContent): string {
  const { imported, summary, mimeType } = item;
  if (imported !== undefined) return imported.summary;
  if (summary !== undefined) return cleanSummary(summary);
  const { sizeBytes } = record;
  return summarizeContent({ isCut: sizeBytes > head.length, sizeBytes, mimeType, head });
}

function makeHandle(
  { clock, ids }: StoreContext,
  { item, content, summary }: { item: TakenItem; content: PreparedContent; summary: string },
): ArtifactHandle {
  const { imported, source, sessionId, mimeType } = item;
  const { artifactId, sizeBytes } = content.record;
  const handleId = imported?.handleId ?? ids.next();
  const createdAt = imported?.createdAt ?? clock.now();
  const facts = { summary, sizeBytes, mimeType, createdAt, source, sessionId };
  return copyHandle({ handleId, artifactId, ...facts });
}
