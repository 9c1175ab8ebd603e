import { systemClock } from "@ccl/core";
import { throwIfAborted } from "@ccl/core/async";
import { ArtifactStoreError, type ArtifactStore } from "@ccl/artifact-store";
import { createArtifactStore, type ArtifactStoreOptions } from "@ccl/artifact-store/driver";
import type { Records } from "@ccl/records";
import { S3Bucket, type S3LikeClient } from "./bucket/s3-bucket.ts";
import { claimBucket } from "./claim-bucket.ts";
import { sweepUploads } from "./collect/sweep-abandoned.ts";
import { moveHandles } from "./former/move-handles.ts";
import { createS3Driver } from "./s3-artifact-driver.ts";

/** Options that choose where artifacts are stored and how they are written. */
export interface S3ArtifactStoreOptions extends ArtifactStoreOptions {
  /** An `S3Client` of `@aws-sdk/client-s3`, or an object with its `send`. The caller destroys it. */
  client: S3LikeClient;
  bucket: string;
  /**
   * Stores the handles, e.g. from `openRecords`. All processes that share the bucket must share these records. The
   * caller closes them after the store.
   */
  records: Records;
  /** Prefix of every key, e.g. `artifacts/`. Empty by default. Stores with different prefixes are separate. */
  prefix?: string | undefined;
  /**
   * Size of a part of a multipart upload. 5 MiB by default, which is S3's minimum. Each running stream holds two parts
   * in memory and can have up to 10,000 parts, so raise it for streams above 48 GiB.
   */
  partSizeBytes?: number | undefined;
  /** Age at which the remains of an unfinished put are removed. 24 hours by default. */
  abandonedAfterMs?: number | undefined;
  /** Aborts the opening. Not used afterwards. */
  signal?: AbortSignal | undefined;
}

/** Capabilities that were detected on the server. */
interface S3Capabilities {
  /** True if uploads of dead processes can be found. If false, a lifecycle rule of the bucket must abort them. */
  uploadListing: boolean;
}

/** An artifact store that stores bytes in a bucket and handles in records. */
export interface S3ArtifactStore extends ArtifactStore {
  readonly capabilities: S3Capabilities;
}

const minPartBytes = 5 * 1024 * 1024;
const dayMs = 24 * 60 * 60_000;

/**
 * Opens the artifacts below a prefix of a bucket. Moves handles that earlier versions stored in the bucket into the
 * records, and aborts abandoned uploads. No earlier version may write during the move.
 * @throws ArtifactStoreError `unavailable` if the bucket cannot be used or its handles are in other records,
 * `invalid_input`, `aborted`
 */
export async function openS3ArtifactStore(
  options: S3ArtifactStoreOptions,
): Promise<S3ArtifactStore> {
  const {
    client,
    bucket: name,
    records,
    prefix = "",
    partSizeBytes: partBytes = minPartBytes,
    abandonedAfterMs = dayMs,
    signal,
    clock = systemClock,
  } = options;
  checkOptions(options);
  const bucket = new S3Bucket({ client, bucket: name, prefix });
  try {
    const root = await claimBucket(bucket, records, signal);
    const context = { bucket, records, root, clock, partBytes, abandonedAfterMs };
    await moveHandles(context, `${root}/moved`, signal);
    const uploadListing = await sweepUploads(context, signal);
    const store = createArtifactStore(createS3Driver(context), { ...options, clock });
    return { ...store, capabilities: { uploadListing } };
  } catch (error) {
    throwIfAborted(signal, ArtifactStoreError);
    throw error;
  }
}

function checkOptions({
  client,
  bucket,
  records,
  prefix = "",
  partSizeBytes = minPartBytes,
  abandonedAfterMs = dayMs,
}: S3ArtifactStoreOptions): void {
  if (typeof client?.send !== "function") {
    const message =
      "client is not an S3 client; pass an S3Client of @aws-sdk/client-s3, or what has its send.";
    throw new ArtifactStoreError("invalid_input", message);
  }
  if (typeof records?.write !== "function") {
    const message = "records are not records; pass what openRecords of @ccl/records opens.";
    throw new ArtifactStoreError("invalid_input", message);
  }
  if (typeof bucket !== "string" || bucket === "")
    throw invalid("bucket", bucket, "the name of a bucket");
  if (typeof prefix !== "string" || prefix.length > 512 || prefix.startsWith("/")) {
    throw invalid("prefix", prefix, "at most 512 characters that do not begin with a slash");
  }
  if (
    !Number.isInteger(partSizeBytes) ||
    partSizeBytes < minPartBytes ||
    partSizeBytes > 1024 * minPartBytes
  ) {
    throw invalid("partSizeBytes", partSizeBytes, "whole bytes from 5 MiB to 5 GiB");
  }
  if (!(abandonedAfterMs >= 60_000))
    throw invalid("abandonedAfterMs", abandonedAfterMs, "at least a minute");
}

function invalid(name: string, value: unknown, wanted: string): ArtifactStoreError {
  return new ArtifactStoreError(
    "invalid_input",
    `${name} is ${JSON.stringify(value)}; pass ${wanted}.`,
  );
}
