import type { Clock } from "@ccl/core";
import type { Records } from "@ccl/records";
import type { S3Bucket } from "./bucket/s3-bucket.ts";

/** State that all parts of a store share. */
export interface S3Context {
  bucket: S3Bucket;
  records: Records;
  /** Name prefix of the store's records. */
  root: string;
  clock: Clock;
  partBytes: number;
  /** Age by the store's clock at which the remains of an unfinished put are removed. */
  abandonedAfterMs: number;
}

/**
 * Creates a signal for cleaning up after a cancelled call, whose own signal would cancel the
 * cleanup too.
 */
export const cleanupSignal = (): AbortSignal => AbortSignal.timeout(5_000);
