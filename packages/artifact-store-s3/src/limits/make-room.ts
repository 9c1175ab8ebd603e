import { mapConcurrent } from "@ccl/core/async";
import type { HandleKey, StoreLimits } from "@ccl/artifact-store";
import { planEviction, sessionIdsOf, type BlobPut } from "@ccl/artifact-store/driver";
import { parallelRequests } from "../bucket/s3-bucket.ts";
import { collectBlobs } from "../collect/collect-blobs.ts";
import { isVisible } from "../handles/is-visible.ts";
import { nameOf } from "../handles/list-handles.ts";
import { listReferences } from "../handles/list-references.ts";
import { removeHandles } from "../handles/remove-handles.ts";
import {
  artifactIdOf,
  parseBlobKey,
  parseHandleKey,
  parseSessionKey,
  sessionPrefix,
  type SessionEntry,
} from "../layout/s3-layout.ts";
import type { S3Context } from "../s3-context.ts";
import type { Reservation } from "./ledger.ts";

/** A put under limits, with the reservations of others. */
export interface RoomRequest {
  puts: readonly BlobPut[];
  others: readonly Reservation[];
  limits: StoreLimits;
  now: number;
  signal?: AbortSignal | undefined;
}

/** What is stored and reserved under limits. */
interface Holdings {
  /** Sizes of blobs, where the store has a limit. */
  sizes: Map<string, number>;
  /** Entries of the sessions of the puts, where sessions have a limit, with those of failed puts. */
  sessions: Map<string, SessionEntry[]>;
  /** Artifacts that running puts of others will have handles of, by the prefix of the session. */
  reserved(prefix: string): HandleKey[];
  /** Sizes of all that running puts of others will write. */
  busy: Map<string, number>;
}

/**
 * Makes the puts fit, by evicting if the limits say so. Counts what is stored by listing it, with one request per 1,000
 * keys, so that no sum can drift. True if something was removed, which requires another count, because a running put
 * can keep what it uses from being freed.
 * @throws ArtifactStoreError `limit_exceeded`, before anything is evicted
 */
export async function makeRoom(context: S3Context, request: RoomRequest): Promise<boolean> {
  const { limits, puts, now, signal } = request;
  const holdings = await readHoldings(context, request);
  if (isSurelyFitting(holdings, request)) return false;
  const { handles, artifactIds } = planEviction(
    await readUsage(context, holdings, request),
    puts,
    limits,
  );
  await mapConcurrent([...handles], parallelRequests, ({ artifactId, handleId }) =>
    removeHandles(context, artifactId, { match: { handleId }, now, signal }),
  );
  if (artifactIds.size > 0)
    await collectBlobs(context, {
      artifactIds: [...artifactIds],
      until: Infinity,
      isDryRun: false,
      signal,
    });
  return handles.size + artifactIds.size > 0;
}

async function readHoldings(
  { bucket }: S3Context,
  { puts, others, limits, signal }: RoomRequest,
): Promise<Holdings> {
  const sizes = new Map<string, number>();
  const sessions = new Map<string, SessionEntry[]>();
  for (const sessionId of limits.maxSessionBytes === undefined ? [] : sessionIdsOf(puts)) {
    const listed = await bucket.listAll(sessionPrefix(sessionId), { signal });
    const entries = listed.flatMap(({ key }) => parseSessionKey(key) ?? []);
    sessions.set(sessionId, entries);
  }
  if (limits.maxStoreBytes !== undefined) {
    for await (const page of bucket.listPages("blobs/", { signal }))
      for (const { key } of page) sizes.set(artifactIdOf(key), parseBlobKey(key)?.sizeBytes ?? 0);
  }
  return {
    sizes,
    sessions,
    busy: new Map(others.flatMap(({ blobs }) => Object.entries(blobs))),
    reserved: (prefix) =>
      others.flatMap((other) =>
        (other.sessions[prefix] ?? []).map((artifactId) => ({ handleId: "~", artifactId })),
      ),
  };
}

/** True if all fits even with entries of failed puts, which takes no further request to find out. */
function isSurelyFitting(
  { sizes, sessions, busy, reserved }: Holdings,
  { puts, limits }: RoomRequest,
): boolean {
  const { maxSessionBytes = Infinity, maxStoreBytes = Infinity } = limits;
  const own = puts.map(({ record }): [string, number] => [record.artifactId, record.sizeBytes]);
  for (const [sessionId, entries] of sessions) {
    const bytes = new Map(own);
    for (const { artifactId } of reserved(sessionPrefix(sessionId)))
      bytes.set(artifactId, busy.get(artifactId) ?? 0);
    for (const { artifactId, sizeBytes } of entries) bytes.set(artifactId, sizeBytes);
    if (sum(bytes) > maxSessionBytes) return false;
  }
  return sum(new Map([...sizes, ...busy, ...own])) <= maxStoreBytes;
}

/** Entries and claims of failed puts have no visible handle: they count in no sum, but a claim keeps its blob. */
async function readUsage(
  context: S3Context,
  { sizes, sessions, busy, reserved }: Holdings,
  { limits, signal }: RoomRequest,
): Promise<Parameters<typeof planEviction<HandleKey>>[0]> {
  const { bucket, batches } = context;
  const handles = new Map<string, HandleKey>();
  const names = new Map<string, Set<string>>();
  for (const [sessionId, entries] of sessions) {
    const visible = await mapConcurrent(entries, parallelRequests, async (entry) =>
      (await isVisible(context, entry, signal)) ? entry : [],
    );
    const own = [...visible.flat(), ...reserved(sessionPrefix(sessionId))];
    for (const handle of own) handles.set(nameOf(handle), handle);
    for (const { artifactId, sizeBytes } of visible.flat()) sizes.set(artifactId, sizeBytes);
    names.set(sessionId, new Set(own.map(nameOf)));
  }
  const keptIds = new Set(busy.keys());
  if (limits.whenFull === "evict" && limits.maxStoreBytes !== undefined) {
    for (const { key } of await bucket.listAll("handles/", { signal })) {
      const entry = parseHandleKey(key);
      if (entry !== undefined && (await batches.isCommitted(entry.batch, signal)))
        handles.set(nameOf(entry), entry);
    }
    const { claims } = await listReferences(context, "refs/", signal);
    for (const claim of claims) if (!handles.has(nameOf(claim))) keptIds.add(claim.artifactId);
  }
  return {
    handles: [...handles.keys()].sort().flatMap((name) => handles.get(name) ?? []),
    sizes: new Map([...sizes, ...busy]),
    keptIds,
    inSession: (sessionId) => (handle) => names.get(sessionId)?.has(nameOf(handle)) === true,
  };
}

function sum(sizes: ReadonlyMap<string, number>): number {
  return Array.from(sizes.values()).reduce((total, sizeBytes) => total + sizeBytes, 0);
}
