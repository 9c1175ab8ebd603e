import { mapConcurrent } from "@ccl/core/async";
import type { HandleKey } from "@ccl/artifact-store";
import type { DriverListOptions, FoundHandle } from "@ccl/artifact-store/driver";
import {
  afterHandle,
  claimPrefix,
  parseHandleKey,
  parseSessionKey,
  sessionPrefix,
  sourceKeyOf,
  type HandleEntry,
} from "../layout/s3-layout.ts";
import { parallelRequests } from "../bucket/s3-bucket.ts";
import type { S3Context } from "../s3-context.ts";
import { listReferences } from "./list-references.ts";
import type { BatchView } from "./batch-registry.ts";
import { readHandle } from "./handle-objects.ts";

/** Handles by id, rising. Those of a session come from its entries, others from the handles' own objects. */
export async function listHandles(
  context: S3Context,
  options: DriverListOptions,
): Promise<FoundHandle[]> {
  const listed = await context.batches.settle(
    (view) => listOnce(context, options, view),
    options.signal,
  );
  return listed ?? [];
}

/** All handles of an artifact, by id, rising. */
export async function handlesOf(
  context: S3Context,
  artifactId: string,
  signal?: AbortSignal,
): Promise<FoundHandle[]> {
  const listed = await context.batches.settle(async (view) => {
    const { claims } = await listReferences(context, claimPrefix(artifactId), signal);
    return await readAdmitted(context, { entries: claims, view, signal });
  }, signal);
  return listed ?? [];
}

async function listOnce(
  context: S3Context,
  options: DriverListOptions,
  view: BatchView,
): Promise<FoundHandle[] | undefined> {
  const { sessionId, source, after, limit, signal } = options;
  const prefix = sessionId === undefined ? "handles/" : sessionPrefix(sessionId);
  const parse = sessionId === undefined ? parseHandleKey : parseSessionKey;
  const sourceKey = source === undefined ? undefined : sourceKeyOf(source);
  const found: FoundHandle[] = [];
  const pageKeys = source === undefined ? Math.min(1_000, limit + 1) : 1_000;
  const start = after === undefined ? undefined : afterHandle(prefix, after);
  for await (const page of context.bucket.listPages(prefix, { after: start, pageKeys, signal })) {
    const known = page
      .flatMap(({ key }) => parse(key) ?? [])
      .filter((entry) => sourceKey === undefined || entry.sourceKey === sourceKey);
    for (let at = 0; at < known.length && found.length < limit; at += limit) {
      const handles = await readAdmitted(context, {
        entries: known.slice(at, at + limit),
        view,
        signal,
      });
      if (handles === undefined) return undefined;
      const last = found.at(-1);
      found.push(
        ...handles.filter((handle) => last === undefined || nameOf(handle) !== nameOf(last)),
      );
    }
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** The handles of entries whose batch counts, each once. */
async function readAdmitted(
  context: S3Context,
  options: { entries: readonly HandleEntry[]; view: BatchView; signal?: AbortSignal | undefined },
): Promise<FoundHandle[] | undefined> {
  const { entries, view, signal } = options;
  const admitted = await view.admit(entries.map((entry) => entry.batch));
  if (admitted === undefined) return undefined;
  const distinct = new Map<string, HandleEntry>();
  for (const entry of entries) {
    if (admitted.has(entry.batch)) distinct.set(`${nameOf(entry)}!${entry.batch}`, entry);
  }
  const handles = await mapConcurrent([...distinct.values()], parallelRequests, (entry) =>
    readHandle(context, entry, signal),
  );
  const byName = new Map(
    handles.filter((handle) => handle !== undefined).map((handle) => [nameOf(handle), handle]),
  );
  return [...byName.values()];
}

/** Names a handle; names sort as listings do. */
export function nameOf({ handleId, artifactId }: HandleKey): string {
  return `${handleId}!${artifactId}`;
}
