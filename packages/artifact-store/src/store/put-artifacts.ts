import type { ArtifactContent, ArtifactHandle, StoreItem, StoreLimits } from "../artifact-store.ts";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import type { BlobPut, StagedBlob } from "../driver/artifact-driver.ts";
import { cleanSummary, makeSummary } from "../summary/make-summary.ts";
import { throwIfAborted } from "./call-scope.ts";
import { invalidInput, type ItemFacts, takeFacts } from "./check-input.ts";
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
  /** It may have been in the store before. */
  isImported: boolean;
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
      isImported: item.imported !== undefined,
      content,
    }));
    await commit(context, puts, signal);
    return puts.map(({ handle }) => handle);
  } finally {
    if (staged.length > 0) await Promise.allSettled(staged.map((blob) => blob.discard()));
  }
}

async function commit(
  context: StoreContext,
  ready: readonly ReadyPut[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const { driver, limits, clock } = context;
  const puts = groupPuts(ready);
  const outcomes = await driver.commit(puts, { limits, now: clock.now(), ...signalOption(signal) });
  // From here on the artifacts are kept: the signal no longer matters.
  try {
    for (const [index, put] of puts.entries()) {
      if (outcomes[index] === "present") await mendIfDamaged(context, put);
    }
  } catch (error) {
    await takeBack(context, ready);
    throw error;
  }
}

/** A put whose damaged blob could not be mended is not acknowledged, so its handles must not stay. */
async function takeBack({ driver, clock }: StoreContext, ready: readonly ReadyPut[]): Promise<void> {
  const made = ready.filter(({ isImported }) => !isImported).map(({ handle }) => handle);
  const removals = made.map(({ artifactId, handleId }) =>
    driver.removeHandles(artifactId, { handleId }, { now: clock.now() }),
  );
  await Promise.allSettled(removals);
}

/** One put a blob: contents of one id are the same bytes, whichever is kept. */
function groupPuts(ready: readonly ReadyPut[]): BlobPut[] {
  const puts = new Map<string, BlobPut & { handles: ArtifactHandle[] }>();
  for (const { handle, content } of ready) {
    const put = puts.get(handle.artifactId);
    if (put === undefined) {
      const { record, content: bytes } = content;
      puts.set(handle.artifactId, { record, content: bytes, handles: [copyHandle(handle)] });
    } else put.handles.push(copyHandle(handle));
  }
  return [...puts.values()];
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
