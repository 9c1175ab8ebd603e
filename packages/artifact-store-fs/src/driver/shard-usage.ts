import { join } from "node:path";
import { mapConcurrent } from "@ccl/core/async";
import {
  entryName,
  isReference,
  type ReferenceEntry,
  type ShardEntry,
} from "../layout/entry-name.ts";
import { contentSize } from "../layout/file-header.ts";
import {
  filesAtOnce,
  folderPath,
  listShard,
  shardNames,
  type StoreFolder,
} from "../layout/store-folder.ts";
import type { Batches } from "./batches.ts";

/** What one folder of blobs holds. An artifact lies in one folder, so sums over folders are sums over the store. */
export interface ShardUsage {
  /** Those that count. */
  references: ReferenceEntry[];
  /** Size of the content of each blob that is there, with references or without. */
  sizes: Map<string, number>;
  bytes: number;
  /** By the key of a session. */
  sessions: Map<string, { bytes: number; artifactIds: Set<string> }>;
}

/** Tells what the folders hold. */
export interface UsageReader {
  /** `nowMs` is the time by the clock of the file system, from a file that was just made. */
  read(nowMs: number): Promise<ShardUsage[]>;
}

/** Within this time after a change another one may leave the folder's time as it is; clocks of file systems tick at 100 Hz or faster. */
const tickMs = 100;
/** The same where only whole seconds are kept, or every second one. */
const wholeSecondMs = 3000;

interface KnownShard {
  changedAtMs: number;
  usage: ShardUsage;
}

/**
 * Reads each folder once, and again when its time has changed: whoever adds or removes a file in it, in whichever process and
 * without any lock, changes that. Nothing is kept on the disk that a crash could leave wrong.
 */
export function createUsageReader(store: StoreFolder, batches: Batches): UsageReader {
  const known = new Map<string, KnownShard>();
  return {
    read: (nowMs) =>
      mapConcurrent(shardNames, filesAtOnce, async (name) => {
        const folder = join(folderPath(store, "blobs"), name);
        const changedAtMs = (await store.fs.status(folder))?.changedAtMs ?? nowMs;
        const before = known.get(folder);
        if (before?.changedAtMs === changedAtMs) return before.usage;
        const { usage, isSettled } = await readShard(store, batches, folder);
        const uncertainMs = changedAtMs % 1000 === 0 ? wholeSecondMs : tickMs;
        if (isSettled && nowMs - changedAtMs > uncertainMs)
          known.set(folder, { changedAtMs, usage });
        else known.delete(folder);
        return usage;
      }),
  };
}

/** Not settled is what may come to count without a change of the folder. */
async function readShard(
  store: StoreFolder,
  batches: Batches,
  folder: string,
): Promise<{ usage: ShardUsage; isSettled: boolean }> {
  let entries: ShardEntry[] = [];
  const references = await batches.visibleAmong(
    async () => (entries = await listShard(store, folder)),
  );
  const sizes = new Map(references.map((entry) => [entry.artifactId, entry.sizeBytes]));
  for (const entry of entries) {
    if (isReference(entry) || entry.kind === "pin" || sizes.has(entry.artifactId)) continue;
    const sizeBytes = await contentSize(store.fs, join(folder, entryName(entry)));
    if (sizeBytes !== undefined) sizes.set(entry.artifactId, sizeBytes);
  }
  const usage: ShardUsage = { references, sizes, bytes: 0, sessions: new Map() };
  for (const sizeBytes of sizes.values()) usage.bytes += sizeBytes;
  for (const entry of references) addToSession(usage, entry);
  return { usage, isSettled: references.length === entries.filter(isReference).length };
}

function addToSession(
  { sessions }: ShardUsage,
  { sessionKey, artifactId, sizeBytes }: ReferenceEntry,
): void {
  const session = sessions.get(sessionKey) ?? { bytes: 0, artifactIds: new Set() };
  sessions.set(sessionKey, session);
  if (session.artifactIds.has(artifactId)) return;
  session.artifactIds.add(artifactId);
  session.bytes += sizeBytes;
}
