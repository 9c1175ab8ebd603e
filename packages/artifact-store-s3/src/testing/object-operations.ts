import type { ObjectTable, TestObject } from "./object-table.ts";
import { openUpload } from "./read-upload.ts";
import { S3ServerError, xml, xmlTexts, type S3Answer } from "./s3-answer.ts";
import type { S3ServerRequest } from "./s3-request.ts";

/** What an operation works with. */
export interface OperationInput {
  request: S3ServerRequest;
  table: ObjectTable;
  /** Objects of another bucket, for copies. */
  tableOf(bucket: string): ObjectTable;
  raw: Buffer;
  ignoresConditions: boolean;
}

const xmlType = { "content-type": "application/xml" };

export function putObject(input: OperationInput): S3Answer {
  const { request, table, raw } = input;
  const { bytes, checksums } = openUpload(request.headers, raw);
  checkWriteConditions(input);
  const object = table.put(request.key, bytes, {
    headers: { ...keptHeaders(request), ...checksums },
  });
  return { status: 200, headers: { etag: object.etag } };
}

export function copyObject({ request, table, tableOf }: OperationInput): S3Answer {
  const source = sourceOf(request, tableOf);
  const object = table.put(request.key, source.bytes, { headers: source.headers });
  const fields = [
    ["ETag", object.etag],
    ["LastModified", object.modifiedAt.toISOString()],
  ] as const;
  return { status: 200, headers: xmlType, body: xml("CopyObjectResult", fields) };
}

export function getObject({ request, table }: OperationInput): S3Answer {
  const object = table.get(request.key);
  const { bytes } = object;
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
  const common = { ...objectHeaders(object, request), "accept-ranges": "bytes" };
  if (request.operation === "HeadObject")
    return { status: 200, headers: common, headLength: bytes.byteLength };
  if (range === null) return { status: 200, headers: common, body: bytes };
  const start = Number(range[1]);
  const end = range[2] === "" ? bytes.byteLength : Math.min(Number(range[2]) + 1, bytes.byteLength);
  if (start >= end)
    throw new S3ServerError(416, "InvalidRange", "The requested range is not satisfiable.");
  const headers = { ...common, "content-range": `bytes ${start}-${end - 1}/${bytes.byteLength}` };
  // The checksum covers the whole object, so a client would find it wrong for a part.
  for (const name of Object.keys(headers))
    if (name.startsWith("x-amz-checksum-")) Reflect.deleteProperty(headers, name);
  return { status: 206, headers, body: bytes.subarray(start, end) };
}

export function deleteObject({ request, table }: OperationInput): S3Answer {
  table.delete(request.key);
  return { status: 204 };
}

export function deleteObjects({ table, raw }: OperationInput): S3Answer {
  const keys = xmlTexts(raw.toString("utf8"), "Key");
  for (const key of keys) table.delete(key);
  return {
    status: 200,
    headers: xmlType,
    body: xml(
      "DeleteResult",
      keys.map((key) => ["Deleted", [["Key", key]]]),
    ),
  };
}

export function createUpload({ request, table }: OperationInput): S3Answer {
  const { uploadId } = table.createUpload(request.key, keptHeaders(request));
  const fields = [
    ["Bucket", request.bucket],
    ["Key", request.key],
    ["UploadId", uploadId],
  ] as const;
  return { status: 200, headers: xmlType, body: xml("InitiateMultipartUploadResult", fields) };
}

export function uploadPart({ request, table, raw }: OperationInput): S3Answer {
  const { bytes, checksums } = openUpload(request.headers, raw);
  const etag = table.putPart(uploadIdOf(request), Number(request.query.get("partNumber")), bytes);
  return { status: 200, headers: { etag, ...checksums } };
}

export function uploadPartCopy({ request, table, tableOf }: OperationInput): S3Answer {
  const { bytes } = sourceOf(request, tableOf);
  const [, start = "0", end] =
    /^bytes=(\d+)-(\d+)$/.exec(String(request.headers["x-amz-copy-source-range"])) ?? [];
  const part = bytes.subarray(Number(start), end === undefined ? undefined : Number(end) + 1);
  const etag = table.putPart(uploadIdOf(request), Number(request.query.get("partNumber")), part);
  return { status: 200, headers: xmlType, body: xml("CopyPartResult", [["ETag", etag]]) };
}

export function completeUpload(input: OperationInput): S3Answer {
  const { request, table, raw } = input;
  const wanted = xmlTexts(raw.toString("utf8"), "Part").map((part) => ({
    partNumber: Number(xmlTexts(part, "PartNumber")[0]),
    etag: xmlTexts(part, "ETag")[0] ?? "",
  }));
  table.upload(uploadIdOf(request));
  checkWriteConditions(input);
  const { etag } = table.completeUpload(uploadIdOf(request), wanted);
  const fields = [
    ["Bucket", request.bucket],
    ["Key", request.key],
    ["ETag", etag],
  ] as const;
  return { status: 200, headers: xmlType, body: xml("CompleteMultipartUploadResult", fields) };
}

export function abortUpload({ request, table }: OperationInput): S3Answer {
  table.abortUpload(uploadIdOf(request));
  return { status: 204 };
}

function uploadIdOf(request: S3ServerRequest): string {
  return request.query.get("uploadId") ?? "";
}

function sourceOf({ headers }: S3ServerRequest, tableOf: OperationInput["tableOf"]): TestObject {
  const source = decodeURIComponent(String(headers["x-amz-copy-source"])).replace(/^\//, "");
  const slash = source.indexOf("/");
  return tableOf(source.slice(0, slash)).get(source.slice(slash + 1));
}

/** Checks `If-None-Match: *` and `If-Match` as S3 does. */
function checkWriteConditions({ request, table, ignoresConditions }: OperationInput): void {
  const { "if-none-match": noneMatch, "if-match": match } = request.headers;
  if (ignoresConditions) return;
  const there = table.objects.get(request.key);
  if (noneMatch !== undefined && noneMatch !== "*") throw new S3ServerError(501, "NotImplemented");
  if (noneMatch === "*" && there !== undefined) throw new S3ServerError(412, "PreconditionFailed");
  if (match === undefined) return;
  if (there === undefined) throw new S3ServerError(404, "NoSuchKey");
  if (there.etag !== match) throw new S3ServerError(412, "PreconditionFailed");
}

function keptHeaders({ headers }: S3ServerRequest): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name]) => name === "content-type" || name.startsWith("x-amz-meta-"),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

function objectHeaders(object: TestObject, { headers }: S3ServerRequest): Record<string, string> {
  const wantsChecksum = headers["x-amz-checksum-mode"] === "ENABLED";
  const kept = Object.entries(object.headers).filter(
    ([name]) => wantsChecksum || !name.startsWith("x-amz-checksum-"),
  );
  return {
    ...Object.fromEntries(kept),
    etag: object.etag,
    "last-modified": object.modifiedAt.toUTCString(),
  };
}
