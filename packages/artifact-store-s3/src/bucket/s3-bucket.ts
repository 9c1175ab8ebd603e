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

/** How many requests one call sends at once. The SDK keeps 50 sockets by default. */
export const parallelRequests: number = 16;

/** The only method of `S3Client` that the store calls. */
export type S3LikeClient = Pick<S3Client, "send">;

/** One key of a listing. */
export interface ListedKey {
  /** Without the prefix of the store. */
  key: string;
  sizeBytes: number;
}

/** Which keys to list. */
export interface ListKeysOptions {
  /** Only keys greater than this one. */
  after?: string | undefined;
  /** Keys per request, 1,000 by default. */
  pageKeys?: number | undefined;
  signal?: AbortSignal | undefined;
}

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

  /** The SDK's parameters that name an object of the store. */
  place(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.name, Key: this.prefix + key };
  }

  /** Sends one request. A failure says which request failed and why. */
  async request<Output>(
    operation: string,
    key: string | undefined,
    run: () => Promise<Output>,
  ): Promise<Output> {
    try {
      return await run();
    } catch (error) {
      throw s3Failure(error, {
        operation,
        bucket: this.name,
        key: key !== undefined ? this.prefix + key : undefined,
      });
    }
  }

  /** Writes one object, whose bytes the server checks. Retries after a conflict (409) and after damage in transit. */
  async put(key: string, body: Uint8Array, signal?: AbortSignal): Promise<void> {
    const input = {
      ...this.place(key),
      Body: body,
      ContentLength: body.byteLength,
      ContentMD5: toBase64(md5(body)),
      ChecksumSHA256: toBase64(createSha256().update(body).digest()),
    };
    await this.request("PutObject", key, async () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          await this.client.send(new PutObjectCommand(input), requestOptions(signal));
          return;
        } catch (error) {
          if (attempt >= maxAttempts || !passingCodes.has(s3CodeOf(error) ?? "")) throw error;
          await pauseBeforeRetry(attempt, signal);
        }
      }
    });
  }

  /** The length of an object. Undefined if there is none. */
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

  /** Removes several objects side by side. */
  async removeAll(objects: readonly { key: string }[], signal?: AbortSignal): Promise<void> {
    await mapConcurrent(objects, parallelRequests, ({ key }) => this.remove(key, signal));
  }

  /** Yields the keys below `under` in rising order, one page per request. */
  async *listPages(under: string, options: ListKeysOptions = {}): AsyncGenerator<ListedKey[]> {
    const { pageKeys = 1_000, signal } = options;
    let after = options.after;
    for (;;) {
      const input = {
        Bucket: this.name,
        Prefix: this.prefix + under,
        MaxKeys: pageKeys,
        StartAfter: after !== undefined ? this.prefix + after : undefined,
      };
      const answer = await this.request("ListObjectsV2", under, () =>
        this.client.send(new ListObjectsV2Command(input), requestOptions(signal)),
      );
      const keys = (answer.Contents ?? []).map(({ Key = "", Size = 0 }) => ({
        key: Key.slice(this.prefix.length),
        sizeBytes: Size,
      }));
      yield keys;
      after = keys.at(-1)?.key;
      if (answer.IsTruncated !== true || after === undefined) return;
    }
  }

  /** All keys below `under` in rising order, for prefixes with few keys. */
  async listAll(under: string, options: ListKeysOptions = {}): Promise<ListedKey[]> {
    const all: ListedKey[] = [];
    for await (const page of this.listPages(under, options)) all.push(...page);
    return all;
  }
}

/** The SDK's second argument. */
export function requestOptions(signal: AbortSignal | undefined): {
  abortSignal?: AbortSignal;
} {
  return signal === undefined ? {} : { abortSignal: signal };
}
