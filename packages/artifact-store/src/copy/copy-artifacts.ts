import { createHash, type Hash } from "node:crypto";
import type { ArtifactHandle, ArtifactStore } from "../artifact-store.ts";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import { signalOption } from "../store/store-context.ts";

/** What a copy did so far. */
export interface CopyReport {
  copiedHandles: number;
  /** Handles that the target had already. */
  presentHandles: number;
  /** Handles whose bytes went with them while the copy ran. */
  goneHandles: number;
  copiedBytes: number;
  /** Ids of artifacts that the source can't read; they were passed over. Sorted. */
  corrupt: string[];
  /** Where a later run may go on; absent at the start and at the end. */
  cursor?: string;
}

/** How a copy runs. */
export interface CopyArtifactsOptions {
  /** From the report of a run that was cut short. Without it a second run passes over what is there, too. */
  cursor?: string;
  /** Called after each handle. */
  onProgress?: (progress: CopyReport) => void;
  signal?: AbortSignal;
}

/**
 * Copies every artifact with its handles, which keep their id, time, source, session, type and summary. Handles that the
 * target has are passed over, so a run can be repeated. Bytes are checked as they are read, and by their id, or where the
 * target makes other ids by reading them back, as they arrive. Both stores may be in use; what is stored meanwhile may be missed.
 * @throws ArtifactStoreError what either store throws, but `corrupt` of the source is reported instead
 */
export async function copyArtifacts(
  from: ArtifactStore,
  to: ArtifactStore,
  options: CopyArtifactsOptions = {},
): Promise<CopyReport> {
  const { onProgress, signal } = options;
  const report: CopyReport = { copiedHandles: 0, presentHandles: 0, goneHandles: 0, copiedBytes: 0, corrupt: [] };
  const target = createPresence(to, signal);
  let cursor = options.cursor;
  do {
    if (cursor !== undefined) report.cursor = cursor;
    const page = await from.listHandles({ ...(cursor !== undefined && { cursor }), ...signalOption(signal) });
    for (const handle of page.handles) {
      if (await target.has(handle.handleId)) report.presentHandles += 1;
      else await copyOne({ from, to, report, signal }, handle);
      onProgress?.({ ...report, corrupt: [...report.corrupt] });
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  delete report.cursor;
  report.corrupt = [...new Set(report.corrupt)].sort();
  return report;
}

interface CopyContext {
  from: ArtifactStore;
  to: ArtifactStore;
  report: CopyReport;
  signal: AbortSignal | undefined;
}

async function copyOne({ from, to, report, signal }: CopyContext, handle: ArtifactHandle): Promise<void> {
  const { artifactId, handleId, createdAt, summary, source, mimeType, sessionId } = handle;
  const reading = { hash: createHash("sha256"), isCorrupt: false };
  try {
    const stream = await reportCorrupt(reading, () => from.retrieveStream(artifactId, signalOption(signal)));
    if (stream === undefined) {
      report.goneHandles += 1;
      return;
    }
    const imported = { handleId, createdAt, summary };
    const facts = {
      source,
      mimeType,
      imported,
      ...(sessionId !== undefined && { sessionId }),
      ...signalOption(signal),
    };
    const copy = await to.store(watched(stream, reading), facts);
    if (copy.artifactId !== artifactId) await readBack(to, copy, { hash: reading.hash, signal });
    report.copiedHandles += 1;
    report.copiedBytes += handle.sizeBytes;
  } catch (error) {
    if (!reading.isCorrupt) throw error;
    report.corrupt.push(artifactId);
  }
}

interface Reading {
  hash: Hash;
  isCorrupt: boolean;
}

async function reportCorrupt<T>(reading: Reading, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    reading.isCorrupt = ArtifactStoreError.isInstance(error) && error.code === "corrupt";
    throw error;
  }
}

async function* watched(stream: AsyncIterable<Uint8Array>, reading: Reading): AsyncGenerator<Uint8Array, void> {
  const iterator = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await reportCorrupt(reading, () => iterator.next());
      if (next.done === true) return;
      reading.hash.update(next.value);
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

async function readBack(
  to: ArtifactStore,
  { artifactId, handleId }: ArtifactHandle,
  { hash, signal }: { hash: Hash; signal: AbortSignal | undefined },
): Promise<void> {
  const arrived = createHash("sha256");
  for await (const piece of (await to.retrieveStream(artifactId, signalOption(signal))) ?? []) arrived.update(piece);
  if (arrived.digest("hex") === hash.digest("hex")) return;
  await to.delete(artifactId, { handleId });
  throw new ArtifactStoreError(
    "corrupt",
    `Artifact ${artifactId} did not arrive as it was sent; the copy was removed.`,
  );
}

/** Both listings are in the order of handle ids, so one walk beside the other tells which handles are there. */
function createPresence(
  store: ArtifactStore,
  signal: AbortSignal | undefined,
): { has(handleId: string): Promise<boolean> } {
  let page: ArtifactHandle[] = [];
  let at = 0;
  let cursor: string | undefined;
  let isStarted = false;
  const current = async (): Promise<string | undefined> => {
    while (at >= page.length && (!isStarted || cursor !== undefined)) {
      const next = await store.listHandles({
        limit: 1000,
        ...(cursor !== undefined && { cursor }),
        ...signalOption(signal),
      });
      isStarted = true;
      page = next.handles;
      cursor = next.cursor;
      at = 0;
    }
    return page[at]?.handleId;
  };
  return {
    async has(handleId) {
      let candidate = await current();
      while (candidate !== undefined && candidate < handleId) {
        at += 1;
        candidate = await current();
      }
      return candidate === handleId;
    },
  };
}
