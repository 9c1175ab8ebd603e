import { createHash } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { crc32 } from "node:zlib";
import { S3ServerError } from "./s3-answer.ts";

/** A decoded request body whose checksums were verified. */
export interface Upload {
  bytes: Uint8Array;
  /** Headers `x-amz-checksum-...`, including those that followed the body. */
  checksums: Record<string, string>;
}

/** Reads all bytes of a request. Rejects more than `maxBytes`. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    if (!(piece instanceof Uint8Array)) continue;
    length += piece.byteLength;
    if (length <= maxBytes) pieces.push(Buffer.from(piece));
  }
  if (length > maxBytes) throw new S3ServerError(507, "InsufficientStorage");
  return Buffer.concat(pieces);
}

/** Removes the framing of `aws-chunked`, then checks Content-MD5, `x-amz-content-sha256` and the checksum headers. */
export function openUpload(headers: IncomingHttpHeaders, raw: Buffer): Upload {
  const isChunked = headers["content-encoding"]?.includes("aws-chunked") === true;
  const { bytes, trailers } = isChunked ? unframe(raw) : { bytes: raw, trailers: {} };
  const decodedLength = headers["x-amz-decoded-content-length"];
  if (isChunked && Number(decodedLength) !== bytes.byteLength)
    throw new S3ServerError(400, "IncompleteBody");
  const checksums: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...headers, ...trailers })) {
    if (name.startsWith("x-amz-checksum-") && typeof value === "string") checksums[name] = value;
  }
  checkDigests(bytes, { md5: headers["content-md5"], checksums });
  return { bytes, checksums };
}

function checkDigests(
  bytes: Uint8Array,
  { md5, checksums }: { md5: string | string[] | undefined; checksums: Record<string, string> },
): void {
  const digest = (algorithm: string): string =>
    createHash(algorithm).update(bytes).digest("base64");
  if (md5 !== undefined && md5 !== digest("md5")) throw new S3ServerError(400, "BadDigest");
  const known: Record<string, () => string> = {
    "x-amz-checksum-sha256": () => digest("sha256"),
    "x-amz-checksum-sha1": () => digest("sha1"),
    "x-amz-checksum-crc32": () => crc32Base64(bytes),
  };
  for (const [name, value] of Object.entries(checksums)) {
    const compute = known[name];
    if (compute === undefined) {
      if (name === "x-amz-checksum-algorithm" || name === "x-amz-checksum-type") continue;
      throw new S3ServerError(501, "NotImplemented", `${name} is not checked by the test server.`);
    }
    if (compute() !== value) throw new S3ServerError(400, "BadDigest", `${name} does not match.`);
  }
}

function crc32Base64(bytes: Uint8Array): string {
  const value = Buffer.alloc(4);
  value.writeUInt32BE(crc32(bytes));
  return value.toString("base64");
}

/**
 * Chunks are `<hex length>[;extension]\r\n<bytes>\r\n`. One of length 0 ends them, and trailers follow as header lines.
 */
function unframe(raw: Buffer): { bytes: Buffer; trailers: Record<string, string> } {
  const pieces: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = raw.indexOf("\r\n", at);
    if (lineEnd < 0) throw new S3ServerError(400, "IncompleteBody");
    const length = parseInt(raw.toString("latin1", at, lineEnd), 16);
    if (!(length >= 0)) throw new S3ServerError(400, "InvalidRequest", "A chunk has no length.");
    at = lineEnd + 2;
    if (length === 0) break;
    if (at + length + 2 > raw.byteLength) throw new S3ServerError(400, "IncompleteBody");
    pieces.push(raw.subarray(at, at + length));
    at += length + 2;
  }
  const trailers: Record<string, string> = {};
  for (const line of raw.toString("latin1", at).split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) trailers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { bytes: Buffer.concat(pieces), trailers };
}
