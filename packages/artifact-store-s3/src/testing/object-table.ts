import { createHash, randomUUID } from "node:crypto";
import { S3ServerError } from "./s3-answer.ts";

/** One object as the server stores it. */
export interface TestObject {
  bytes: Uint8Array;
  etag: string;
  modifiedAt: Date;
  /** Headers that are stored with it: content type, metadata, checksums. */
  headers: Record<string, string>;
}

/** A running multipart upload. */
export interface TestUpload {
  uploadId: string;
  key: string;
  startedAt: Date;
  headers: Record<string, string>;
  parts: Map<number, { bytes: Uint8Array; etag: string }>;
}

const minPartBytes = 5 * 1024 * 1024;

/** The objects and uploads of one bucket, with a limit on their total size. */
export class ObjectTable {
  readonly objects: Map<string, TestObject> = new Map();
  readonly uploads: Map<string, TestUpload> = new Map();
  readonly #room: { usedBytes: number; maxBytes: number };

  constructor(room: { usedBytes: number; maxBytes: number }) {
    this.#room = room;
  }

  put(
    key: string,
    bytes: Uint8Array,
    options: { etag?: string | undefined; headers: Record<string, string> },
  ): TestObject {
    this.#take(bytes.byteLength - (this.objects.get(key)?.bytes.byteLength ?? 0));
    const object = {
      bytes,
      etag: options.etag ?? etagOf(bytes),
      modifiedAt: new Date(),
      headers: options.headers,
    };
    this.objects.set(key, object);
    return object;
  }

  get(key: string): TestObject {
    const object = this.objects.get(key);
    if (object === undefined)
      throw new S3ServerError(404, "NoSuchKey", "The specified key does not exist.");
    return object;
  }

  delete(key: string): void {
    this.#take(-(this.objects.get(key)?.bytes.byteLength ?? 0));
    this.objects.delete(key);
  }

  createUpload(key: string, headers: Record<string, string>): TestUpload {
    const upload = {
      uploadId: randomUUID(),
      key,
      startedAt: new Date(),
      headers,
      parts: new Map(),
    };
    this.uploads.set(upload.uploadId, upload);
    return upload;
  }

  upload(uploadId: string): TestUpload {
    const upload = this.uploads.get(uploadId);
    if (upload === undefined)
      throw new S3ServerError(404, "NoSuchUpload", "The specified upload does not exist.");
    return upload;
  }

  putPart(uploadId: string, partNumber: number, bytes: Uint8Array): string {
    const { parts } = this.upload(uploadId);
    if (!(partNumber >= 1 && partNumber <= 10_000)) throw new S3ServerError(400, "InvalidArgument");
    this.#take(bytes.byteLength - (parts.get(partNumber)?.bytes.byteLength ?? 0));
    const etag = etagOf(bytes);
    parts.set(partNumber, { bytes, etag });
    return etag;
  }

  abortUpload(uploadId: string): void {
    for (const { bytes } of this.upload(uploadId).parts.values()) this.#take(-bytes.byteLength);
    this.uploads.delete(uploadId);
  }

  completeUpload(
    uploadId: string,
    wanted: readonly { partNumber: number; etag: string }[],
  ): TestObject {
    const { key, parts, headers } = this.upload(uploadId);
    const chosen = wanted.map(({ partNumber, etag }) => {
      const part = parts.get(partNumber);
      if (part === undefined || part.etag !== etag) throw new S3ServerError(400, "InvalidPart");
      return part;
    });
    if (chosen.length === 0) throw new S3ServerError(400, "MalformedXML");
    if (
      wanted.some(({ partNumber }, index) => partNumber <= (wanted[index - 1]?.partNumber ?? 0))
    ) {
      throw new S3ServerError(400, "InvalidPartOrder");
    }
    if (chosen.slice(0, -1).some(({ bytes }) => bytes.byteLength < minPartBytes)) {
      throw new S3ServerError(400, "EntityTooSmall");
    }
    const digests = chosen.map(({ etag }) => Buffer.from(etag.slice(1, -1), "hex"));
    const etag = `"${createHash("md5").update(Buffer.concat(digests)).digest("hex")}-${chosen.length}"`;
    const bytes = Buffer.concat(chosen.map((part) => part.bytes));
    this.abortUpload(uploadId);
    return this.put(key, bytes, { etag, headers });
  }

  #take(bytes: number): void {
    if (this.#room.usedBytes + bytes > this.#room.maxBytes)
      throw new S3ServerError(507, "InsufficientStorage");
    this.#room.usedBytes += bytes;
  }
}

function etagOf(bytes: Uint8Array): string {
  return `"${createHash("md5").update(bytes).digest("hex")}"`;
}
