import { mapConcurrent, sleep } from "@ccl/core/async";
import { damagedHandle, handleOfLine, type FoundHandle } from "@ccl/artifact-store/driver";
import { readObject } from "../bucket/read-object.ts";
import { parallelRequests } from "../bucket/s3-bucket.ts";
import { putEntry, readWritableEntry } from "../entries/blob-entry.ts";
import { newHandles, putHandle } from "../entries/handle-entries.ts";
import { isWritten } from "../entries/store-records.ts";
import type { Generation } from "../layout/generation.ts";
import { artifactIdOf, blobPrefix, parseBlobKey } from "../layout/s3-layout.ts";
import type { S3Context } from "../s3-context.ts";
import { formerPrefixes, parseReferences, type Claim } from "./former-layout.ts";

/** Time that another process may take for one artifact before it counts as dead. */
const aliveMs = 250;

/**
 * Moves the handles that earlier versions stored in the bucket into the records, one artifact at a time. Every step
 * also writes the record `name`. So only one of several processes moves handles, and a process that paused cannot
 * restore what has since been deleted.
 */
export async function moveHandles(
  context: S3Context,
  name: string,
  signal?: AbortSignal,
): Promise<void> {
  for (let last = -1; await hasFormerKeys(context, signal);) {
    const version = (await context.records.get(name, { signal }))?.version ?? 0;
    if (version === last && (await moveAll(context, { name, version }, signal))) return;
    last = (await context.records.get(name, { signal }))?.version ?? 0;
    await sleep(aliveMs, signal);
  }
}

async function hasFormerKeys({ bucket }: S3Context, signal?: AbortSignal): Promise<boolean> {
  const found = await Promise.all(
    formerPrefixes.map(async (prefix) => {
      for await (const page of bucket.listPages(prefix, signal)) return page.length > 0;
      return false;
    }),
  );
  return found.includes(true);
}

/** The record that every step writes. */
interface Step {
  name: string;
  version: number;
}

/** Moves all handles. False if another process is moving them. */
async function moveAll(context: S3Context, step: Step, signal?: AbortSignal): Promise<boolean> {
  let keys: string[] = [];
  for await (const page of context.bucket.listPages("refs/", signal)) {
    for (const key of page) {
      const isOther = keys.length > 0 && artifactIdOf(keys[0] ?? "") !== artifactIdOf(key);
      if (isOther && !(await moveArtifact(context, keys, { step, signal }))) return false;
      keys = isOther ? [key] : [...keys, key];
    }
  }
  if (keys.length > 0 && !(await moveArtifact(context, keys, { step, signal }))) return false;
  // The remaining objects belong to puts and removals that never finished.
  for (const prefix of formerPrefixes) {
    for await (const page of context.bucket.listPages(prefix, signal))
      await context.bucket.removeAll(page, signal);
  }
  return true;
}

/** Moves the handles of one artifact. False if another process was first. */
async function moveArtifact(
  context: S3Context,
  keys: readonly string[],
  { step, signal }: { step: Step; signal: AbortSignal | undefined },
): Promise<boolean> {
  const { bucket } = context;
  const artifactId = artifactIdOf(keys[0] ?? "");
  const { claims, damaged } = parseReferences(keys);
  const found = await mapConcurrent(claims, parallelRequests, (claim) =>
    readHandle(context, claim, signal),
  );
  const counted = claims.filter((_, index) => found[index] !== undefined);
  const claimed = new Set(counted.map(({ generation }) => generation.name));
  const copies: Generation[] = [];
  for await (const page of bucket.listPages(blobPrefix(artifactId), signal))
    copies.push(...page.flatMap((key) => parseBlobKey(key) ?? []));
  // Prefers an undamaged copy that a handle refers to, then a newer one.
  const rank = ({ name }: Generation): string =>
    `${Number(!damaged.has(name))}${Number(claimed.has(name))}${name}`;
  const [best] = [...copies, ...counted.map(({ generation }) => generation)].sort((a, b) =>
    rank(a) < rank(b) ? 1 : -1,
  );
  if (best !== undefined) {
    const entry = await readWritableEntry(context, artifactId, signal);
    const isNew = entry.generation === "";
    const byId = new Map(
      found.flatMap((handle) => (handle === undefined ? [] : [[handle.handleId, handle] as const])),
    );
    const added = await newHandles(context, [...byId.values()], signal);
    const change = putEntry(context, {
      ...entry,
      sizeBytes: isNew ? best.sizeBytes : entry.sizeBytes,
      generation: isNew ? best.name : entry.generation,
      touchedAt: Math.max(entry.touchedAt, context.clock.now()),
      isQuarantined: isNew ? damaged.has(best.name) : entry.isQuarantined,
      handleCount: entry.handleCount + added.length,
    });
    const changes = [
      { put: step.name, value: null, expectedVersion: step.version },
      change,
      ...added.flatMap((handle) => putHandle(context, handle)),
    ];
    if (!(await isWritten(context, changes))) return false;
    step.version += 1;
  }
  const handleKeys = claims.map(({ handleKey }) => handleKey);
  await bucket.removeAll(handleKeys, signal);
  await bucket.removeAll(keys, signal);
  return true;
}

/** Reads the handle of a claim. Undefined if it was removed or never committed. */
async function readHandle(
  { bucket }: S3Context,
  claim: Claim,
  signal?: AbortSignal,
): Promise<FoundHandle | undefined> {
  const { batchKey, handleKey, key } = claim;
  if (batchKey !== undefined && (await bucket.sizeOf(batchKey, signal)) === undefined)
    return undefined;
  let handle: FoundHandle | undefined;
  // The claim contains a copy.
  for (const place of [handleKey, key]) {
    const line = await readObject(bucket, place, signal);
    if (line === undefined) break;
    handle = line === "damaged" ? damagedHandle(claim) : handleOfLine(claim, line);
    if (!("isDamaged" in handle)) break;
  }
  return handle;
}
