import type { Clock } from "@ccl/core";
import type { S3Bucket } from "./bucket/s3-bucket.ts";
import type { BatchRegistry } from "./handles/batch-registry.ts";

/** How many requests one call has under way at once; the SDK keeps 50 sockets by default. */
export const parallelRequests: number = 16;

/** What all parts of one store share. */
export interface S3Context {
  bucket: S3Bucket;
  clock: Clock;
  batches: BatchRegistry;
  /** Whether the server keeps conditions of writes. */
  keepsConditions: boolean;
  partBytes: number;
  /** Age by the store's clock at which what an unfinished put left behind is taken for abandoned. */
  abandonedAfterMs: number;
}

/** The condition of a first write of a key, where the server keeps such. */
export function onlyIfAbsent(context: S3Context): { condition?: "absent" | undefined } {
  return context.keepsConditions ? { condition: "absent" } : {};
}

/** For cleaning up after a call that was cancelled: its own signal would stop that too. */
export const cleanupSignal = (): AbortSignal => AbortSignal.timeout(5_000);
