import { mapConcurrent } from "@ccl/core/async";
import { createSha256 } from "@ccl/core/hash";
import { toBase64 } from "@ccl/core/json";
import { md5 } from "@noble/hashes/legacy.js";
import {
  DeleteObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { pauseBeforeRetry } from "./pause-before-retry.ts";
import { isMissingObject, s3CodeOf, s3Failure } from "./s3-failure.ts";

/** Number of concurrent requests per call. The SDK keeps 50 sockets by default. */
export const parallelRequests: number = 16;

/** The only method of `S3Client` that the store calls. */
export type S3LikeClient = Pick<S3Client, "send">;

const maxAttempts = 6;
const passingCodes = new Set(["ConditionalRequestConflict", "OperationAborted", "BadDigest"]);

/** Sends the requests of a store. Adds the store's prefix to keys and explains failures. */
export class S3Bucket {
  readonly client: S3LikeClient;
  readonly name: string;
  readonly prefix: string;

  constructor(options: { client: S3LikeClient; bucket: string; prefix: string }) {
    this.client = options.client;
    this.name = options.bucket;
    this.prefix = options.prefix;
  }

  /** Returns the SDK parameters that identify an object of the store. */
  place(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.name, Key: this.prefix + key };
  }

  /**
   * Sends one request, and repeats it after a conflict (409) or damage in transit. A failure says which request failed
   * and why.
   */
  async request<Output>(
    operation: string,
    key: string,
    run: () => Promise<Output>,
    signal?: AbortSignal,
  ): Promise<Output> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await run();
      } catch (error) {
        if (attempt >= maxAttempts || !passingCodes.has(s3CodeOf(error) ?? ""))
          throw this.failure(error, operation, key);
        await pauseBeforeRetry(attempt, signal);
      }
    }
  }

  /** Returns the error that the caller of a failed request gets. */
  failure(error: unknown, operation: string, key: string): unknown {
    return s3Failure(error, { operation, bucket: this.name, key: this.prefix + key });
  }

  /** Writes one object. The server verifies its bytes. */
  async put(key: string, body: Uint8Array, signal?: AbortSignal): Promise<void> {
    const input = {
      ...this.place(key),
      Body: body,
      ContentLength: body.byteLength,
      ContentMD5: toBase64(md5(body)),
      ChecksumSHA256: toBase64(createSha256().update(body).digest()),
    };
    const send = async () =>
      await this.client.send(new PutObjectCommand(input), requestOptions(signal));
    await this.request("PutObject", key, send, signal);
  }

  /** Returns the length of an object. Undefined if it does not exist. */
  async sizeOf(key: string, signal?: AbortSignal): Promise<number | undefined> {
    return await this.request("HeadObject", key, async () => {
      try {
        const head = await this.client.send(
          new HeadObjectCommand(this.place(key)),
          requestOptions(signal),
        );
        return head.ContentLength ?? 0;
      } catch (error) {
        if (isMissingObject(error)) return undefined;
        throw error;
      }
    });
  }

  /** Removes one object. A missing object is not a failure. */
  async remove(key: string, signal?: AbortSignal): Promise<void> {
    await this.request("DeleteObject", key, async () => {
      try {
        await this.client.send(new DeleteObjectCommand(this.place(key)), requestOptions(signal));
      } catch (error) {
        if (!isMissingObject(error)) throw error;
      }
    });
  }

  /** Removes several objects concurrently. */
  async removeAll(keys: readonly string[], signal?: AbortSignal): Promise<void> {
    await mapConcurrent(keys, parallelRequests, (key) => this.remove(key, signal));
  }

  /** Yields the keys below `under`, without the store's prefix, in ascending order, one page per request. */
  async *listPages(under: string, signal?: AbortSignal): AsyncGenerator<string[]> {
    for (let after: string | undefined; ;) {
      const input = { Bucket: this.name, Prefix: this.prefix + under, StartAfter: after };
      const answer = await this.request("ListObjectsV2", under, () =>
        this.client.send(new ListObjectsV2Command(input), requestOptions(signal)),
      );
      const keys = (answer.Contents ?? []).map(({ Key = "" }) => Key);
      yield keys.map((key) => key.slice(this.prefix.length));
      after = keys.at(-1);
      if (answer.IsTruncated !== true || after === undefined) return;
    }
  }
}

/** Returns the second argument of the SDK's `send`. */
export function requestOptions(signal: AbortSignal | undefined): {
  abortSignal?: AbortSignal;
} {
  return signal === undefined ? {} : { abortSignal: signal };
}
