import type { ArtifactContent, ArtifactHandle, ImportedHandle, StoreItem, StoreLimits } from "../artifact-store.ts";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import type { BlobPut, StagedBlob } from "../driver/artifact-driver.ts";
import { cleanSummary, makeSummary } from "../summary/make-summary.ts";
import { throwIfAborted } from "./call-scope.ts";
import { invalidInput, isNew, type ItemFacts, takeFacts } from "./check-input.ts";
import { mendIfDamaged } from "./mend-if-damaged.ts";
import { prepareContent, takeContent, type PreparedContent } from "./prepare-content.ts";
import { copyHandle, signalOption, type StoreContext } from "./store-context.ts";

/** An item as it was at the call. */
export interface TakenItem extends ItemFacts {
  content: ReturnType<typeof takeContent>;
  mimeType: string;
}

interface ReadyPut {
  handle: ArtifactHandle;
  /** Given when the handle may have been in the store before. */
  imported: ImportedHandle | undefined;
  content: PreparedContent;
}

/** Each item as it is now. */
export function takeItems(items: readonly StoreItem[]): TakenItem[] {
  if (!Array.isArray(items)) throw invalidInput("storeMany takes an array of items.");
  return Array.from(items, (item: StoreItem) => takeItem(item?.content, item));
}

/** To be called before the first wait: later the caller may have changed what was given. */
export function takeItem(given: ArtifactContent, options: Omit<StoreItem, "content">): TakenItem {
  const facts = takeFacts(options);
  return { ...facts, mimeType: facts.mimeType ?? mimeTypeOf(given), content: takeContent(given) };
}

function mimeTypeOf(content: ArtifactContent): string {
  return typeof content === "string" ? "text/plain; charset=utf-8" : "application/octet-stream";
}

/** Keeps all items or none; handles in the order of the items. */
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
      const content = await prepareContent(item.content, { driver: context.driver, maxBytes, staged, signal });
      checkExpected(item, content);
      prepared.push({ item, content, summary: summaryOf(context, item, content) });
    }
    throwIfAborted(signal);
    const puts = prepared.map(({ item, content, summary }) => ({
      handle: makeHandle(context, { item, content, summary }),
      imported: item.imported,
      content,
    }));
    return await commit(context, puts, signal);
  } finally {
    if (staged.length > 0) await Promise.allSettled(staged.map((blob) => blob.discard()));
  }
}

/** The handles as they are kept: one that was there before stays as it was. */
async function commit(
  context: StoreContext,
  ready: readonly ReadyPut[],
  signal: AbortSignal | undefined,
): Promise<ArtifactHandle[]> {
  const { driver, limits, clock } = context;
  const groups = groupPuts(ready);
  const inOrder = [...groups.values()];
  const outcomes = await driver.commit(
    inOrder.map(({ put }) => put),
    { limits, now: clock.now(), ...signalOption(signal) },
  );
  // From here on the artifacts are kept: the signal no longer matters.
  try {
    for (const [index, group] of inOrder.entries()) {
      if (outcomes[index] !== "present") continue;
      await mendIfDamaged(context, group.put);
      if (group.mayRepeat) group.known = await driver.getHandles(group.put.record.artifactId, {});
    }
  } catch (error) {
    await takeBack(context, ready);
    throw error;
  }
  return ready.map(({ handle }) => {
    const known = groups.get(handle.artifactId)?.known.find(({ handleId }) => handleId === handle.handleId);
    return copyHandle(known ?? handle);
  });
}

/** A put whose damaged blob could not be mended is not acknowledged, so its handles must not stay. */
async function takeBack({ driver, clock }: StoreContext, ready: readonly ReadyPut[]): Promise<void> {
  const removals = ready
    .filter(({ imported }) => imported === undefined)
    .map(({ handle: { artifactId, handleId } }) =>
      driver.removeHandles(artifactId, { handleId }, { now: clock.now() }),
    );
  await Promise.allSettled(removals);
}

/** What becomes of the items of one blob. */
interface PutGroup {
  put: BlobPut & { handles: ArtifactHandle[] };
  /** Whether a handle of it may have been in the store before. */
  mayRepeat: boolean;
  /** Imported handles that the store has, whatever the items say. */
  known: readonly ArtifactHandle[];
}

/** One put a blob: contents of one id are the same bytes, whichever is kept, and of handles of one id the first. */
function groupPuts(ready: readonly ReadyPut[]): Map<string, PutGroup> {
  const groups = new Map<string, PutGroup>();
  for (const { handle, imported, content } of ready) {
    const { record, content: bytes } = content;
    const group = groups.get(handle.artifactId) ?? {
      put: { record, content: bytes, handles: [] },
      mayRepeat: false,
      known: [],
    };
    groups.set(handle.artifactId, group);
    const { handles } = group.put;
    if (imported && handles.some(({ handleId }) => handleId === imported.handleId)) group.known = handles;
    else handles.push(copyHandle(handle));
    group.mayRepeat ||= imported !== undefined && !isNew(imported);
  }
  return groups;
}

/** A limit that an artifact breaks by itself refuses it, whatever could be evicted. */
function largestArtifact(limits: StoreLimits, sessionId: string | undefined): number {
  const { maxArtifactBytes = Infinity, maxStoreBytes = Infinity, maxSessionBytes = Infinity } = limits;
  return Math.min(maxArtifactBytes, maxStoreBytes, sessionId === undefined ? Infinity : maxSessionBytes);
}

function checkExpected({ expectedId }: TakenItem, { record }: PreparedContent): void {
  if (expectedId === undefined || expectedId === record.artifactId) return;
  throw new ArtifactStoreError(
    "id_mismatch",
    `The content has the id ${record.artifactId}, but ${expectedId} was expected; nothing was stored.`,
    { details: { expectedId, artifactId: record.artifactId } },
  );
}

function summaryOf(context: StoreContext, item: TakenItem, { record, head }: PreparedContent): string {
  const { imported, summary, mimeType, source } = item;
  if (imported !== undefined) return imported.summary;
  if (summary !== undefined) return cleanSummary(summary);
  const { sizeBytes } = record;
  return makeSummary({ isCut: sizeBytes > head.length, sizeBytes, mimeType, source, head }, context.summarize);
}

function makeHandle(
  { clock, ids }: StoreContext,
  { item, content, summary }: { item: TakenItem; content: PreparedContent; summary: string },
): ArtifactHandle {
  const { imported, source, sessionId, mimeType } = item;
  const { artifactId, sizeBytes } = content.record;
  const handleId = imported?.handleId ?? ids.next();
  const createdAt = imported?.createdAt ?? clock.now();
  const handle = { handleId, artifactId, summary, sizeBytes, mimeType, createdAt, source };
  return sessionId === undefined ? handle : { ...handle, sessionId };
}
