import { ArtifactStoreError, type ArtifactHandle, type StoreLimits } from "@ccl/artifact-store";

import {
  type BlobEntry,
  blobName,
  freeBlob,
  removeHandle,
  sessionPrefix,
  setBlob,
  usedName,
} from "./blob-entry.ts";
import type { Transaction } from "./transaction.ts";

/** What a commit has put into the transaction already. */
export interface MakeRoomOptions {
  limits: StoreLimits;
  /** Artifacts of the commit, which stay. */
  artifactIds: ReadonlySet<string>;
  /** Sessions of its handles. */
  sessionIds: ReadonlySet<string>;
  now: number;
}

/**
 * Brings what the transaction makes larger back under the limits.
 * @throws ArtifactStoreError `limit_exceeded` where nothing may be evicted, or not enough
 */
export async function makeRoom(transaction: Transaction, options: MakeRoomOptions): Promise<void> {
  const { maxSessionBytes, maxStoreBytes } = options.limits;
  // Before a session's eviction takes from the sum what the puts added.
  const isStoreGrowing = transaction.added("total") > 0;
  if (maxSessionBytes !== undefined) {
    for (const sessionId of options.sessionIds) {
      const counter = usedName(sessionId);
      const isOver = async (): Promise<boolean> =>
        (await transaction.sum(counter)) > maxSessionBytes;
      if (transaction.added(counter) <= 0 || !(await isOver())) continue;
      if (options.limits.whenFull === "evict")
        await evictHandles(transaction, sessionPrefix(sessionId), { ...options, isOver });
      if (await isOver()) throw limitError("session", maxSessionBytes);
    }
  }
  if (maxStoreBytes !== undefined) {
    const isOver = async (): Promise<boolean> => (await transaction.sum("total")) > maxStoreBytes;
    if (!isStoreGrowing || !(await isOver())) return;
    if (options.limits.whenFull === "evict") {
      await freeUnreferenced(transaction, { ...options, isOver });
      await evictHandles(transaction, "handle/", { ...options, isOver });
    }
    if (await isOver()) throw limitError("store", maxStoreBytes);
  }
}

interface EvictOptions extends MakeRoomOptions {
  isOver: () => Promise<boolean>;
}

async function freeUnreferenced(
  transaction: Transaction,
  { artifactIds, isOver }: EvictOptions,
): Promise<void> {
  if (!(await isOver())) return;
  for await (const name of transaction.list("free/")) {
    const artifactId = name.slice("free/".length);
    const entry = await transaction.get<BlobEntry>(blobName(artifactId));
    if (artifactIds.has(artifactId) || entry === undefined || entry.handleCount > 0) continue;
    freeBlob(transaction, artifactId, entry);
    if (!(await isOver())) return;
  }
}

async function evictHandles(
  transaction: Transaction,
  prefix: string,
  { artifactIds, now, isOver }: EvictOptions,
): Promise<void> {
  if (!(await isOver())) return;
  for await (const name of transaction.list(prefix)) {
    const handle = await transaction.get<ArtifactHandle>(`handle/${name.slice(prefix.length)}`);
    if (handle === undefined || artifactIds.has(handle.artifactId)) continue;
    const { artifactId } = handle;
    const entry = await transaction.get<BlobEntry>(blobName(artifactId));
    if (entry === undefined) continue;
    const left = await removeHandle(transaction, handle, entry);
    if (left.handleCount === 0) freeBlob(transaction, artifactId, entry);
    else setBlob(transaction, artifactId, { ...left, touchedAt: Math.max(entry.touchedAt, now) });
    if (!(await isOver())) return;
  }
}

function limitError(kind: "session" | "store", maxBytes: number): ArtifactStoreError {
  return new ArtifactStoreError(
    "limit_exceeded",
    `The ${kind} would hold more than its ${maxBytes} bytes`,
  );
}
