import type { Clock } from "@ccl/core";
import type { S3Bucket } from "./bucket/s3-bucket.ts";
import type { BatchRegistry } from "./handles/batch-registry.ts";

/** How many requests one call sends at once. The SDK keeps 50 sockets by default. */
export const parallelRequests: number = 16;

/** What all parts of one store share. */
export interface S3Context {
  bucket: S3Bucket;
  clock: Clock;
  batches: BatchRegistry;
  /** True if the server enforces conditions of writes. */
  keepsConditions: boolean;
  partBytes: number;
  /** Age by the store's clock at which the remains of an unfinished put are removed. */
  abandonedAfterMs: number;
}

/** The condition of the first write of a key, if the server enforces conditions. */
export function onlyIfAbsent(context: S3Context): { condition?: "absent" | undefined } {
  return context.keepsConditions ? { condition: "absent" } : {};
}

/** For cleaning up after a cancelled call, whose own signal would cancel the cleanup too. */
export const cleanupSignal = (): AbortSignal => AbortSignal.timeout(5_000);
