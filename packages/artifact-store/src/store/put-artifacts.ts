import type { ArtifactHandle, StoreItem, StoreLimits } from "../artifact-store.ts";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import type { BlobPut, StagedBlob } from "../driver/artifact-driver.ts";
import { cleanSummary, makeSummary } from "../summary/make-summary.ts";
import { throwIfAborted } from "./call-scope.ts";
import { checkHandleId, checkItem, invalidInput } from "./check-input.ts";
import { mendIfDamaged } from "./mend-if-damaged.ts";
import { prepareContent, takeContent, type PreparedContent } from "./prepare-content.ts";
import { copyHandle, signalOption, type StoreContext } from "./store-context.ts";

interface Taken {
  item: Omit<StoreItem, "content">;
  mimeType: string;
  content: ReturnType<typeof takeContent>;
}

interface ReadyPut {
  handle: ArtifactHandle;
  /** It may have been in the store before. */
  isImported: boolean;
  content: PreparedContent;
}

/** Keeps all items or none; handles in the order of the items. */
export async function putArtifacts(
  context: StoreContext,
  items: readonly StoreItem[],
  signal: AbortSignal | undefined,
): Promise<ArtifactHandle[]> {
  if (!Array.isArray(items)) throw invalidInput("storeMany takes an array of items.");
  // All of this before the first wait: later the caller may have changed the items.
  const taken = items.map(takeItem);
  if (taken.length === 0) return [];
  const staged: StagedBlob[] = [];
  try {
    const prepared: { one: Taken; content: PreparedContent; summary: string }[] = [];
    for (const one of taken) {
      const maxBytes = largestArtifact(context.limits, one.item.sessionId);
      const options = { driver: context.driver, maxBytes, staged, ...signalOption(signal) };
      const content = await prepareContent(one.content, options);
      checkExpected(one.item, content);
      prepared.push({ one, content, summary: summaryOf(context, one, content) });
    }
    throwIfAborted(signal);
    const puts = prepared.map(({ one, content, summary }) => ({
      handle: makeHandle(context, { one, content, summary }),
      isImported: one.item.imported !== undefined,
      content,
    }));
    await commit(context, puts, signal);
    return puts.map(({ handle }) => handle);
  } finally {
    if (staged.length > 0) await Promise.allSettled(staged.map((blob) => blob.discard()));
  }
}

function takeItem(given: StoreItem): Taken {
  checkItem(given);
  const { content, imported, ...rest } = given;
  const item = imported === undefined ? rest : { ...rest, imported: { ...imported } };
  const mimeType =
    item.mimeType ?? (typeof content === "string" ? "text/plain; charset=utf-8" : "application/octet-stream");
  return { item, mimeType, content: takeContent(content) };
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

function checkExpected({ expectedId }: Taken["item"], { record }: PreparedContent): void {
  if (expectedId === undefined || expectedId === record.artifactId) return;
  throw new ArtifactStoreError(
    "id_mismatch",
    `The content has the id ${record.artifactId}, but ${expectedId} was expected; nothing was stored.`,
    { details: { expectedId, artifactId: record.artifactId } },
  );
}

function summaryOf(context: StoreContext, { item, mimeType }: Taken, { record, head }: PreparedContent): string {
  if (item.imported !== undefined) return item.imported.summary;
  if (item.summary !== undefined) return cleanSummary(item.summary);
  const { sizeBytes } = record;
  const facts = { isCut: sizeBytes > head.length, sizeBytes, mimeType, source: item.source };
  return makeSummary({ ...facts, head }, context.summarize);
}

function makeHandle(
  { clock, ids }: StoreContext,
  { one, content, summary }: { one: Taken; content: PreparedContent; summary: string },
): ArtifactHandle {
  const { imported, source, sessionId } = one.item;
  const { artifactId, sizeBytes } = content.record;
  const handle = {
    handleId: imported?.handleId ?? checkHandleId(ids.next()),
    artifactId,
    summary,
    sizeBytes,
    mimeType: one.mimeType,
    createdAt: imported?.createdAt ?? clock.now(),
    source,
  };
  return sessionId === undefined ? handle : { ...handle, sessionId };
}
