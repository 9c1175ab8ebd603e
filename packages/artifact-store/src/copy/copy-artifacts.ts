import { canonicalJson } from "@ccl/core";
import { callListener } from "@ccl/core/events";
import { createSha256, type Sha256 } from "@ccl/core/hash";
import type {
  ArtifactHandle,
  ArtifactStore,
  HandleKey,
  HandlePage,
  ListHandlesOptions,
} from "../artifact-store.ts";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import { isSummaryOf } from "../encryption/handle-sealer.ts";
import { markNew } from "../store/check-input.ts";

/** Progress of a copy. */
export interface CopyReport {
  copiedHandles: number;
  /** Handles that the target already had. */
  presentHandles: number;
  /** Handles whose bytes were deleted from the source during the copy. */
  goneHandles: number;
  copiedBytes: number;
  /** Sorted ids of artifacts whose bytes, or one of whose handles, the source could not read. The rest was copied. */
  damaged: string[];
  /** Where a later run can resume. Absent at the start and at the end. */
  cursor?: string | undefined;
}

/** Options of a copy. */
export interface CopyArtifactsOptions {
  /** Cursor from the report of an interrupted run. Without it, a second run still skips what the target already has. */
  cursor?: string | undefined;
  /** Called after each handle. */
  onProgress?: ((progress: CopyReport) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Copies every artifact with its handles, which keep their id, time, source, session, type and summary. Skips handles
 * that the target already has, so a run can be repeated. Verifies bytes when reading them. Verifies the copy by its id,
 * or by reading it back if the target uses different ids. Both stores may be in use, but content stored during the copy
 * may be missed.
 * @throws ArtifactStoreError whatever either store throws, except `damaged` from the source, which the report lists
 */
export async function copyArtifacts(
  from: ArtifactStore,
  to: ArtifactStore,
  options: CopyArtifactsOptions = {},
): Promise<CopyReport> {
  const { onProgress, signal } = options;
  const report: CopyReport = {
    copiedHandles: 0,
    presentHandles: 0,
    goneHandles: 0,
    copiedBytes: 0,
    damaged: [],
  };
  const damagedIds = new Set<string>();
  const sources = groupsById(from, {
    ...options,
    limit: 100,
    onDamaged: ({ artifactId }) => report.damaged.push(artifactId),
  });
  const targets = groupsById(to, {
    limit: 1000,
    signal,
    onDamaged: ({ handleId }) => damagedIds.add(handleId),
  });
  const context: CopyContext = { from, to, report, signal, damagedIds };
  // Both listings are sorted by handle id, so walking them side by side shows which handles the target has.
  let target = await targets.next();
  for await (const { handleId, handles, cursor } of sources) {
    if (cursor !== undefined) report.cursor = cursor;
    while (target.done !== true && target.value.handleId < handleId) target = await targets.next();
    const present =
      target.done !== true && target.value.handleId === handleId ? target.value.handles : [];
    for (const handle of handles) {
      if (await isPresent(context, handle, { handles, present })) report.presentHandles += 1;
      else await copyOne(context, handle);
      callListener(onProgress, { ...report, damaged: [...report.damaged] });
    }
  }
  delete report.cursor;
  report.damaged = [...new Set(report.damaged)].sort();
  return report;
}

interface CopyContext {
  from: ArtifactStore;
  to: ArtifactStore;
  report: CopyReport;
  signal: AbortSignal | undefined;
  /** Ids of damaged handles in the part of the target's listing that was read. */
  damagedIds: ReadonlySet<string>;
}

async function copyOne(
  { from, to, report, signal, damagedIds }: CopyContext,
  handle: ArtifactHandle,
): Promise<void> {
  const { artifactId, handleId, createdAt, summary, source, mimeType, sessionId } = handle;
  const reading: Reading = { hash: createSha256(), failure: undefined };
  try {
    const stream = await keepFailure(reading, () => from.retrieveStream(artifactId, { signal }));
    if (stream === undefined) {
      report.goneHandles += 1;
      return;
    }
    const facts = { handleId, createdAt, summary };
    const imported = damagedIds.has(handleId) ? facts : markNew(facts);
    const options = { source, mimeType, imported, sessionId, signal };
    const copy = await to.store(watched(stream, reading), options);
    if (copy.artifactId !== artifactId) await readBack(to, copy, { hash: reading.hash, signal });
    report.copiedHandles += 1;
    report.copiedBytes += handle.sizeBytes;
  } catch (error) {
    if (reading.failure !== undefined && !(await hasHandle(from, handle, signal)))
      report.goneHandles += 1;
    else if (ArtifactStoreError.isInstance(reading.failure) && reading.failure.code === "damaged")
      report.damaged.push(artifactId);
    else throw error;
  }
}

async function hasHandle(
  from: ArtifactStore,
  { artifactId, handleId }: ArtifactHandle,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const handles = await from.getHandles(artifactId, { signal });
  return handles.some((handle) => handle.handleId === handleId);
}

interface Reading {
  hash: Sha256;
  /** The error that the source threw. */
  failure: unknown;
}

async function keepFailure<T>(reading: Reading, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    reading.failure = error;
    throw error;
  }
}

async function* watched(
  stream: AsyncIterable<Uint8Array>,
  reading: Reading,
): AsyncGenerator<Uint8Array, void> {
  const iterator = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await keepFailure(reading, () => iterator.next());
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
  { hash, signal }: { hash: Sha256; signal: AbortSignal | undefined },
): Promise<void> {
  const arrived = createSha256();
  for await (const piece of (await to.retrieveStream(artifactId, { signal })) ?? [])
    arrived.update(piece);
  if (arrived.digestHex() === hash.digestHex()) return;
  await to.delete(artifactId, { handleId });
  throw new ArtifactStoreError(
    "damaged",
    `Artifact ${artifactId} did not arrive as it was sent; the copy was removed.`,
  );
}

/** True if the target has the handle. Compares all handles with its id in the source and the target. */
async function isPresent(
  { from, signal }: CopyContext,
  handle: ArtifactHandle,
  { handles, present }: Record<"handles" | "present", readonly ArtifactHandle[]>,
): Promise<boolean> {
  if (present.some(({ artifactId }) => artifactId === handle.artifactId)) return true;
  // A target may use its own ids. Then the other fields decide, unless the source has that id for another artifact.
  const copies = present.filter((each) => isCopy(each, handle));
  if (copies.length < handles.filter((each) => isCopy(each, handle)).length) return false;
  for (const { artifactId } of copies) {
    if ((await from.getHandles(artifactId, { signal })).length > 0) return false;
  }
  return true;
}

interface GroupOptions extends ListHandlesOptions {
  onDamaged(handle: HandleKey): void;
}

/** All handles of one id. */
interface Group {
  handleId: string;
  handles: ArtifactHandle[];
  /** Cursor of the page on which the group begins. */
  cursor: string | undefined;
}

/** Yields all handles, grouped by handle id. */
async function* groupsById(
  store: ArtifactStore,
  { cursor, limit, signal, onDamaged }: GroupOptions,
): AsyncGenerator<Group, void> {
  let group: Group | undefined;
  let next = cursor;
  do {
    const page: HandlePage = await store.listHandles({ limit, cursor: next, signal });
    page.damaged?.forEach(onDamaged);
    for (const handle of page.handles) {
      const { handleId } = handle;
      if (group !== undefined && group.handleId !== handleId) {
        yield group;
        group = undefined;
      }
      group ??= { handleId, handles: [], cursor: next };
      group.handles.push(handle);
    }
    next = page.cursor;
  } while (next !== undefined);
  if (group !== undefined) yield group;
}

/** True if everything except the artifact's id is the same. An encrypting store may have cut the summary. */
function isCopy(copy: ArtifactHandle, handle: ArtifactHandle): boolean {
  const { artifactId, summary } = handle;
  if (!isSummaryOf(copy.summary, summary)) return false;
  return canonicalJson({ ...copy, artifactId, summary }) === canonicalJson(handle);
}
