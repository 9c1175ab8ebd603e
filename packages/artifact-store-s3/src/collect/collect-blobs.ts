import { mapConcurrent } from "@ccl/core/async";
import { randomHex } from "@ccl/core/hash";
import type { DriverCollectOptions } from "@ccl/artifact-store/driver";
import type { Generation } from "../layout/generation.ts";
import { blobKey, condemnedPrefix, damagedKey, referencePrefix } from "../layout/s3-layout.ts";
import { parallelRequests } from "../bucket/s3-bucket.ts";
import { listReferences } from "../handles/list-references.ts";
import type { S3Context } from "../s3-context.ts";
import { scanArtifact, scanArtifacts, type ScannedArtifact } from "./scan-artifacts.ts";
import { sweepAbandoned } from "./sweep-abandoned.ts";

/** A blob whose last copy was removed. */
export interface FreedBlob {
  artifactId: string;
  sizeBytes: number;
}

const artifactsAtOnce = 64;

/**
 * Frees copies that no claim names. A copy is condemned by a mark, then its claims are listed again, and it is removed
 * only if there are none. A put writes its claim before it looks for marks. So at least one of the two sees the other:
 * the collection lifts the mark, or the put writes a new copy under a new name. This needs no conditional writes, only
 * consistent listings.
 */
export async function collectBlobs(
  context: S3Context,
  options: DriverCollectOptions,
): Promise<FreedBlob[]> {
  const { artifactIds, isDryRun, signal } = options;
  const freed: FreedBlob[] = [];
  let waiting: ScannedArtifact[] = [];
  const drain = async (): Promise<void> => {
    const outcomes = await mapConcurrent(waiting, parallelRequests, (artifact) =>
      collectArtifact(context, artifact, options),
    );
    freed.push(...outcomes.filter((outcome) => outcome !== undefined));
    waiting = [];
  };
  if (artifactIds === undefined) {
    for await (const artifact of scanArtifacts(context.bucket, signal)) {
      if (waiting.push(artifact) === artifactsAtOnce) await drain();
    }
  } else {
    waiting = await mapConcurrent([...new Set(artifactIds)], parallelRequests, (id) =>
      scanArtifact(context.bucket, id, signal),
    );
  }
  await drain();
  if (!isDryRun && artifactIds === undefined) await sweepAbandoned(context, signal);
  return freed.sort((a, b) => (a.artifactId < b.artifactId ? -1 : 1));
}

async function collectArtifact(
  context: S3Context,
  artifact: ScannedArtifact,
  options: DriverCollectOptions,
): Promise<FreedBlob | undefined> {
  const { artifactId, generations, references } = artifact;
  const { until, isDryRun, signal } = options;
  const claimed = new Set(references.claims.map(({ generation }) => generation.name));
  const endedAt = Math.max(-Infinity, ...references.endings.map(({ at }) => at));
  const garbage = generations.filter(
    ({ name, committedAt }) => !claimed.has(name) && Math.max(committedAt, endedAt) <= until,
  );
  const isLast = garbage.length === generations.length && claimed.size === 0;
  const report = { artifactId, sizeBytes: generations[0]?.sizeBytes ?? 0 };
  if (isDryRun) return isLast && garbage.length > 0 ? report : undefined;
  let freedCount = 0;
  for (const generation of garbage) {
    if (await freeGeneration(context, { artifactId, generation, until, signal })) freedCount += 1;
  }
  if (!isLast || freedCount < garbage.length) return undefined;
  const { endings, condemnations } = references;
  const damaged = Array.from(references.damaged, (name) => ({ key: damagedKey(artifactId, name) }));
  const leftovers = [...endings, ...condemnations, ...damaged];
  if (endedAt <= until) await context.bucket.removeAll(leftovers, signal);
  return freedCount > 0 ? report : undefined;
}

interface CondemnedCopy {
  artifactId: string;
  generation: Generation;
  until: number;
  signal: AbortSignal | undefined;
}

/** Condemns a copy, lists again and removes it. False if a claim or a recent ending was found. */
async function freeGeneration(context: S3Context, copy: CondemnedCopy): Promise<boolean> {
  const { bucket } = context;
  const { artifactId, generation, until, signal } = copy;
  // The mark has a name of its own, because lifting another collection's mark would let a put use a copy that is about
  // to be removed.
  const mark = condemnedPrefix(artifactId, generation.name) + randomHex(16);
  await bucket.put(mark, new Uint8Array(), { signal });
  const { claims, endings, condemnations } = await listReferences(
    context,
    referencePrefix(artifactId),
    signal,
  );
  const isClaimed = claims.some((claim) => claim.generation.name === generation.name);
  if (isClaimed || endings.some(({ at }) => at > until)) {
    await bucket.remove(mark, signal);
    return false;
  }
  // The record is removed last, so that a later collection finds the remains of an interrupted one.
  if (generation.dataKey !== undefined) await bucket.remove(generation.dataKey, signal);
  await bucket.remove(blobKey(artifactId, generation.name), signal);
  const marks = condemnations.filter((found) => found.generation === generation.name);
  await bucket.removeAll([{ key: mark }, ...marks.filter(({ key }) => key !== mark)], signal);
  await bucket.remove(damagedKey(artifactId, generation.name), signal);
  return true;
}
