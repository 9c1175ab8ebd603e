import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { listObjects, listUploads } from "./list-operations.ts";
import {
  abortUpload,
  completeUpload,
  copyObject,
  createUpload,
  deleteObject,
  deleteObjects,
  getObject,
  putObject,
  uploadPart,
  uploadPartCopy,
  type OperationInput,
} from "./object-operations.ts";
import { ObjectTable } from "./object-table.ts";
import { readBody } from "./read-upload.ts";
import { errorAnswer, S3ServerError, type S3Answer } from "./s3-answer.ts";
import { FaultList, type S3Fault, type S3FaultAction } from "./s3-fault.ts";
import { parseRequest, type S3Operation, type S3ServerRequest } from "./s3-request.ts";

/** How the server behaves. */
export interface S3TestServerOptions {
  /** Buckets that exist from the start. `artifacts` by default. */
  buckets?: readonly string[] | undefined;
  faults?: readonly S3Fault[] | undefined;
  /** True: accepts `If-None-Match` and `If-Match` of writes but ignores them, as some servers do. */
  ignoresConditions?: boolean | undefined;
  /** Limit of all bytes together, 256 MiB by default. Above it the server answers 507. */
  maxBytes?: number | undefined;
  /** 0, the default, selects a free port. */
  port?: number | undefined;
}

/** A request that the server received. */
interface S3RequestEntry {
  operation: S3Operation;
  bucket: string;
  key: string;
}

/** Configuration of a client. */
interface S3TestClientConfig {
  endpoint: string;
  forcePathStyle: true;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
}

/** A small S3 server for tests: path-style, in memory, on loopback, without authentication. */
export interface S3TestServer {
  readonly endpoint: string;
  /** Options for `new S3Client(...)`. The credentials are made up. */
  readonly clientConfig: S3TestClientConfig;
  /** The last 100,000 requests, oldest first. */
  readonly requests: S3RequestEntry[];
  /** Sets a fault. The returned function removes it. */
  fail(fault: S3Fault): () => void;
  /** Keys of a bucket, sorted. */
  keys(bucket?: string): string[];
  /** Changes the bytes of an object as a failing disk would: ETag and checksums stay. */
  damage(key: string, change: (bytes: Uint8Array) => Uint8Array, bucket?: string): void;
  /** Keys of running multipart uploads. */
  uploads(bucket?: string): string[];
  /** Ends all connections. */
  close(): Promise<void>;
}

const maxRequests = 100_000;
/** Limit for bodies that are not stored, such as the keys of a removal. */
const maxControlBytes = 2 * 1024 * 1024;
const defaultMaxBytes = 256 * 1024 * 1024;
const testCredentials = { accessKeyId: "test", secretAccessKey: "test" };
const operations: Partial<Record<S3Operation, (input: OperationInput) => S3Answer>> = {
  AbortMultipartUpload: abortUpload,
  CompleteMultipartUpload: completeUpload,
  CopyObject: copyObject,
  CreateMultipartUpload: createUpload,
  DeleteObject: deleteObject,
  DeleteObjects: deleteObjects,
  GetObject: getObject,
  HeadBucket: () => ({ status: 200 }),
  HeadObject: getObject,
  ListMultipartUploads: listUploads,
  ListObjectsV2: listObjects,
  PutObject: putObject,
  UploadPart: uploadPart,
  UploadPartCopy: uploadPartCopy,
};

/** Starts a server. Everything in it is lost with `close`. */
export async function startS3TestServer(options: S3TestServerOptions = {}): Promise<S3TestServer> {
  const {
    buckets = ["artifacts"],
    ignoresConditions = false,
    maxBytes = defaultMaxBytes,
    port = 0,
  } = options;
  const room = { usedBytes: 0, maxBytes };
  const tables = new Map(buckets.map((name) => [name, new ObjectTable(room)]));
  const faults = new FaultList();
  for (const fault of options.faults ?? []) faults.add(fault);
  const requests: S3RequestEntry[] = [];
  const tableOf = (bucket: string): ObjectTable => {
    const table = tables.get(bucket);
    if (table === undefined)
      throw new S3ServerError(404, "NoSuchBucket", "The specified bucket does not exist.");
    return table;
  };
  const perform = (request: S3ServerRequest, raw: Buffer): S3Answer => {
    if (request.operation === "CreateBucket") {
      if (!tables.has(request.bucket)) tables.set(request.bucket, new ObjectTable(room));
      return { status: 200 };
    }
    const operation = operations[request.operation];
    if (operation === undefined) throw new S3ServerError(501, "NotImplemented");
    return operation({ request, raw, table: tableOf(request.bucket), tableOf, ignoresConditions });
  };
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const request = parseRequest(incoming.method ?? "", incoming.url ?? "", incoming.headers);
    if (
      requests.push({ operation: request.operation, bucket: request.bucket, key: request.key }) >
      maxRequests
    ) {
      requests.shift();
    }
    const fault = faults.strike(request);
    if (fault?.kind === "cut" && fault.when === "request")
      return await cutRequest(incoming, fault.afterBytes);
    const answer = await answerOf(async () => {
      const raw = await readBody(incoming, maxBytes + maxControlBytes);
      if (fault?.kind === "hang") return await new Promise<never>(() => undefined);
      if (fault?.kind === "wait") await fault.until;
      if (fault?.kind === "error") throw new S3ServerError(fault.status, fault.code);
      return perform(request, raw);
    });
    if (fault?.kind === "lose-answer") outgoing.destroy();
    else send(outgoing, answer, fault);
  };
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  // The SDK keeps connections open. An idle one must not keep a process alive.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  const endpoint = `http://127.0.0.1:${isAddress(address) ? address.port : port}`;
  return {
    endpoint,
    clientConfig: {
      endpoint,
      forcePathStyle: true,
      region: "us-east-1",
      credentials: testCredentials,
    },
    requests,
    fail: (fault) => faults.add(fault),
    keys: (bucket = "artifacts") => [...tableOf(bucket).objects.keys()].sort(),
    damage: (key, change, bucket = "artifacts") => {
      const object = tableOf(bucket).get(key);
      object.bytes = change(Uint8Array.from(object.bytes));
    },
    uploads: (bucket = "artifacts") =>
      Array.from(tableOf(bucket).uploads.values(), ({ key }) => key).sort(),
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

async function answerOf(run: () => Promise<S3Answer>): Promise<S3Answer> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof S3ServerError) return errorAnswer(error.status, error.code, error.message);
    return errorAnswer(500, "InternalError", String(error));
  }
}

/** Reads that many bytes of the body, then ends the connection. */
async function cutRequest(incoming: IncomingMessage, afterBytes: number): Promise<void> {
  let read = 0;
  for await (const piece of afterBytes > 0 ? incoming : []) {
    read += piece instanceof Uint8Array ? piece.byteLength : 0;
    if (read >= afterBytes) break;
  }
  incoming.socket.destroy();
}

function send(outgoing: ServerResponse, answer: S3Answer, fault: S3FaultAction | undefined): void {
  const text = answer.body ?? "";
  const whole = typeof text === "string" ? Buffer.from(text) : text;
  const length = answer.headLength ?? whole.byteLength;
  outgoing.writeHead(answer.status, { ...answer.headers, "content-length": String(length) });
  if (fault?.kind === "cut") {
    outgoing.write(whole.subarray(0, fault.afterBytes), () => outgoing.destroy());
    return;
  }
  outgoing.end(fault?.kind === "damage" ? damaged(whole) : whole);
}

function damaged(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const middle = Math.floor(copy.length / 2);
  copy.set([(copy[middle] ?? 0) ^ 1], middle);
  return copy;
}

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
