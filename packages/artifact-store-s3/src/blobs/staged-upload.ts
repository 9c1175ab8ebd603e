import { toBase64 } from "@ccl/core/json";
import { md5 } from "@noble/hashes/legacy.js";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
  type CompletedPart,
} from "@aws-sdk/client-s3";
import { ArtifactStoreError } from "@ccl/artifact-store";
import { chunkBytes, type StagedBlob } from "@ccl/artifact-store/driver";
import { requestOptions } from "../bucket/s3-bucket.ts";
import { s3CodeOf } from "../bucket/s3-failure.ts";
import { createStagedName, dataKeyOf, type StagedName } from "../layout/generation.ts";
import { cleanupSignal, type S3Context } from "../s3-context.ts";

const maxParts = 10_000;

/**
 * A stream that becomes a separate object. A stream that fits in one part is buffered and written with one request.
 * Longer streams become a multipart upload. One part fills while the previous one is sent, so memory holds no more than
 * two parts.
 */
export class StagedUpload implements StagedBlob {
  readonly name: StagedName;
  readonly #context: S3Context;
  readonly #signal: AbortSignal | undefined;
  readonly #parts: CompletedPart[] = [];
  #uploadId: string | undefined;
  #buffer = new Uint8Array(chunkBytes);
  #spare: Uint8Array<ArrayBuffer> | undefined;
  #filled = 0;
  #sizeBytes = 0;
  #sending: Promise<void> = Promise.resolve();
  #isComplete = false;

  constructor(context: S3Context, signal?: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
    this.name = createStagedName(context.clock.now());
  }

  /** Key of the bytes once `complete` has resolved. */
  get dataKey(): string {
    return dataKeyOf(this.name);
  }

  async write(piece: Uint8Array): Promise<void> {
    this.#signal?.throwIfAborted();
    for (let at = 0; at < piece.byteLength;) {
      if (this.#filled === this.#context.partBytes) await this.#sendBuffer();
      this.#grow(this.#filled + piece.byteLength - at);
      const taken = piece.subarray(at, at + this.#buffer.byteLength - this.#filled);
      this.#buffer.set(taken, this.#filled);
      this.#filled += taken.byteLength;
      at += taken.byteLength;
    }
    this.#sizeBytes += piece.byteLength;
  }

  /** Returns the whole content if none of it has been sent yet. */
  wholeBytes(): Uint8Array | undefined {
    return this.#uploadId === undefined ? this.#buffer.subarray(0, this.#filled) : undefined;
  }

  /** Completes the object at `dataKey`. After that, `discard` no longer removes it. */
  async complete(): Promise<void> {
    if (this.#isComplete) return;
    if (this.#uploadId === undefined) {
      const body = this.#buffer.subarray(0, this.#filled);
      await this.#context.bucket.put(this.dataKey, body, this.#signal);
    } else {
      await this.#sendBuffer();
      await this.#sending;
      await this.#completeUpload(this.#uploadId);
    }
    this.#isComplete = true;
  }

  async discard(): Promise<void> {
    const uploadId = this.#uploadId;
    if (this.#isComplete || uploadId === undefined) return;
    this.#uploadId = undefined;
    await this.#sending.catch(() => undefined);
    const input = { ...this.#context.bucket.place(this.dataKey), UploadId: uploadId };
    // If this abort fails, a sweep aborts the upload when the store is next opened.
    await this.#context.bucket.client
      .send(new AbortMultipartUploadCommand(input), requestOptions(cleanupSignal()))
      .catch(() => undefined);
  }

  #grow(wantedBytes: number): void {
    const size = Math.min(this.#context.partBytes, 2 ** Math.ceil(Math.log2(wantedBytes)));
    if (size <= this.#buffer.byteLength) return;
    const grown = new Uint8Array(size);
    grown.set(this.#buffer);
    this.#buffer = grown;
  }

  /** Waits for the previous part, then starts this one. */
  async #sendBuffer(): Promise<void> {
    await this.#sending;
    const uploadId = (this.#uploadId ??= await this.#createUpload());
    const full = this.#buffer;
    const body = full.subarray(0, this.#filled);
    const partNumber = this.#parts.length + 1;
    if (partNumber > maxParts) {
      const message = `A stream of more than ${maxParts} parts of ${this.#context.partBytes} bytes cannot be stored; increase partSizeBytes.`;
      throw new ArtifactStoreError("limit_exceeded", message);
    }
    this.#parts.push({ PartNumber: partNumber });
    this.#buffer = this.#spare ?? new Uint8Array(this.#context.partBytes);
    this.#spare = full;
    this.#filled = 0;
    this.#sending = this.#sendPart({ uploadId, partNumber, body });
    // The next part, the completion or the discard awaits it. Until then a failure must not count as unhandled.
    this.#sending.catch(() => undefined);
  }

  /**
   * Creates the upload. After an abort, still waits a while for the response, since removing the upload needs its id.
   */
  async #createUpload(): Promise<string> {
    const { bucket } = this.#context;
    const late = new AbortController();
    const abort = (): void => cleanupSignal().addEventListener("abort", () => late.abort());
    this.#signal?.addEventListener("abort", abort, { once: true });
    const answer = await bucket
      .request("CreateMultipartUpload", this.dataKey, () =>
        bucket.client.send(
          new CreateMultipartUploadCommand(bucket.place(this.dataKey)),
          requestOptions(late.signal),
        ),
      )
      .finally(() => this.#signal?.removeEventListener("abort", abort));
    if (answer.UploadId === undefined)
      throw new ArtifactStoreError("unavailable", "The server returned no upload ID.");
    return answer.UploadId;
  }

  async #sendPart(part: { uploadId: string; partNumber: number; body: Uint8Array }): Promise<void> {
    const { bucket } = this.#context;
    const input = {
      ...bucket.place(this.dataKey),
      UploadId: part.uploadId,
      PartNumber: part.partNumber,
      Body: part.body,
      ContentLength: part.body.byteLength,
      ContentMD5: toBase64(md5(part.body)),
    };
    const send = async () =>
      await bucket.client.send(new UploadPartCommand(input), requestOptions(this.#signal));
    const answer = await bucket.request("UploadPart", this.dataKey, send, this.#signal);
    this.#parts[part.partNumber - 1] = {
      PartNumber: part.partNumber,
      ETag: answer.ETag,
      ChecksumCRC32: answer.ChecksumCRC32,
      ChecksumCRC32C: answer.ChecksumCRC32C,
      ChecksumCRC64NVME: answer.ChecksumCRC64NVME,
    };
  }

  async #completeUpload(uploadId: string): Promise<void> {
    const { bucket } = this.#context;
    const input = {
      ...bucket.place(this.dataKey),
      UploadId: uploadId,
      MultipartUpload: { Parts: this.#parts },
    };
    await bucket.request("CompleteMultipartUpload", this.dataKey, async () => {
      try {
        await bucket.client.send(
          new CompleteMultipartUploadCommand(input),
          requestOptions(this.#signal),
        );
      } catch (error) {
        // An earlier attempt completed it, but the response was lost.
        if (s3CodeOf(error) !== "NoSuchUpload") throw error;
        if ((await bucket.sizeOf(this.dataKey, this.#signal)) !== this.#sizeBytes) throw error;
      }
    });
  }
}
