import type { Clock } from "@ccl/core";
import type { S3Bucket } from "./bucket/s3-bucket.ts";
import type { BatchRegistry } from "./handles/batch-registry.ts";

/** What all parts of one store share. */
export interface S3Context {
  bucket: S3Bucket;
  clock: Clock;
  batches: BatchRegistry;
  partBytes: number;
  /** Age by the store's clock at which the remains of an unfinished put are removed. */
  abandonedAfterMs: number;
}

/** For cleaning up after a cancelled call, whose own signal would cancel the cleanup too. */
export const cleanupSignal = (): AbortSignal => AbortSignal.timeout(5_000);
