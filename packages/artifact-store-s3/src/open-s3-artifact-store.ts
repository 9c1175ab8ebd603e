import { systemClock } from "@ccl/core";
import { ArtifactStoreError, type ArtifactStore } from "@ccl/artifact-store";
import {
  createArtifactStore,
  hasSharedLimits,
  type ArtifactStoreOptions,
} from "@ccl/artifact-store/driver";
import { probeConditions } from "./bucket/probe-conditions.ts";
import { S3Bucket, type S3LikeClient } from "./bucket/s3-bucket.ts";
import { sweepUploads } from "./collect/sweep-abandoned.ts";
import { BatchRegistry } from "./handles/batch-registry.ts";
import { createS3Driver } from "./s3-artifact-driver.ts";
import type { S3Context } from "./s3-context.ts";

/** Where the artifacts are stored, and how they are written. */
export interface S3ArtifactStoreOptions extends ArtifactStoreOptions {
  /** An `S3Client` of `@aws-sdk/client-s3`, or an object with its `send`. The caller destroys it. */
  client: S3LikeClient;
  bucket: string;
  /** Prefix of every key, e.g. `artifacts/`. Empty by default. Stores with different prefixes share nothing. */
  prefix?: string | undefined;
  /**
   * Size of a part of a multipart upload. 8 MiB by default, at least 5 MiB. Each running stream holds two parts in
   * memory.
   */
  partSizeBytes?: number | undefined;
  /** Age at which the remains of an unfinished put are removed. 24 hours by default. */
  abandonedAfterMs?: number | undefined;
  /** Aborts the opening. The store does not keep it. */
  signal?: AbortSignal | undefined;
}

/** What the server was found to support. */
interface S3Capabilities {
  /**
   * The server enforces `If-None-Match` and `If-Match` of writes. Without them only `maxSessionBytes` and
   * `maxStoreBytes` are unsupported, because no key is ever written with two contents.
   */
  conditionalWrites: boolean;
  /** Uploads of dead processes can be found. If false, a lifecycle rule of the bucket has to abort them. */
  uploadListing: boolean;
}

/** An artifact store in a bucket. */
export interface S3ArtifactStore extends ArtifactStore {
  readonly capabilities: S3Capabilities;
}

const minPartBytes = 5 * 1024 * 1024;
const dayMs = 24 * 60 * 60_000;

/**
 * Opens the artifacts below a prefix of a bucket. Finds out what the server supports and aborts abandoned uploads.
 * @throws ArtifactStoreError `unsupported` for byte limits on a server without conditional writes, `store_failed` if the
 * bucket cannot be used, `invalid_input`, `aborted`
 */
export async function openS3ArtifactStore(
  options: S3ArtifactStoreOptions,
): Promise<S3ArtifactStore> {
  const { client, bucket: name, prefix = "", signal, clock = systemClock, limits = {} } = options;
  const { partSizeBytes = 2 * 4 * 1024 * 1024, abandonedAfterMs = dayMs } = options;
  checkOptions({ client, bucket: name, prefix, partSizeBytes, abandonedAfterMs });
  const bucket = new S3Bucket({ client, bucket: name, prefix });
  const context: S3Context = {
    bucket,
    clock,
    batches: new BatchRegistry(bucket),
    partBytes: partSizeBytes,
    abandonedAfterMs,
  };
  try {
    bucket.keepsConditions = await probeConditions(bucket, signal);
    if (hasSharedLimits(limits) && !bucket.keepsConditions) throw needsConditionalWrites(name);
    const uploadListing = await sweepUploads(context, signal);
    const store = createArtifactStore(createS3Driver(context), { ...options, clock });
    return {
      ...store,
      capabilities: { conditionalWrites: bucket.keepsConditions, uploadListing },
    };
  } catch (error) {
    if (signal?.aborted !== true || ArtifactStoreError.isInstance(error)) throw error;
    throw new ArtifactStoreError("aborted", "The opening was aborted by its signal.", {
      cause: error,
    });
  }
}

function checkOptions(options: {
  client: S3LikeClient;
  bucket: string;
  prefix: string;
  partSizeBytes: number;
  abandonedAfterMs: number;
}): void {
  const { client, bucket, prefix, partSizeBytes, abandonedAfterMs } = options;
  if (typeof client?.send !== "function") {
    const message =
      "client is no S3 client; give an S3Client of @aws-sdk/client-s3, or what has its send.";
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
    `${name} is ${JSON.stringify(value)}; give ${wanted}.`,
  );
}

function needsConditionalWrites(bucket: string): ArtifactStoreError {
  const message =
    `The server of the bucket "${bucket}" ignores conditional writes (If-None-Match, If-Match), by which the limits are kept ` +
    "between writers. Leave maxSessionBytes and maxStoreBytes out, or use a server that has them.";
  return new ArtifactStoreError("unsupported", message);
}
