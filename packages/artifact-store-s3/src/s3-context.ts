import type { Clock } from "@ccl/core";
import type { Records } from "@ccl/records";
import type { S3Bucket } from "./bucket/s3-bucket.ts";

/** What all parts of one store share. */
export interface S3Context {
  bucket: S3Bucket;
  records: Records;
  /** The names of the store's records begin with it. */
  root: string;
  clock: Clock;
  partBytes: number;
  /** Age by the store's clock at which the remains of an unfinished put are removed. */
  abandonedAfterMs: number;
}

/** For cleaning up after a cancelled call, whose own signal would cancel the cleanup too. */
export const cleanupSignal = (): AbortSignal => AbortSignal.timeout(5_000);
