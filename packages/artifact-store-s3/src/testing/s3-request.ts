import type { IncomingHttpHeaders } from "node:http";

/** The operations that the test server supports. */
export type S3Operation =
  | "AbortMultipartUpload"
  | "CompleteMultipartUpload"
  | "CopyObject"
  | "CreateBucket"
  | "CreateMultipartUpload"
  | "DeleteObject"
  | "DeleteObjects"
  | "GetObject"
  | "HeadBucket"
  | "HeadObject"
  | "ListMultipartUploads"
  | "ListObjectsV2"
  | "PutObject"
  | "Unknown"
  | "UploadPart"
  | "UploadPartCopy";

/** A parsed request. */
export interface S3ServerRequest {
  operation: S3Operation;
  bucket: string;
  key: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
}

/** Parses a path-style request. Ignores `x-id` and other parameters of the SDK. */
export function parseRequest(
  method: string,
  url: string,
  headers: IncomingHttpHeaders,
): S3ServerRequest {
  const { pathname, searchParams: query } = new URL(url, "http://server");
  const slash = pathname.indexOf("/", 1);
  const bucket = decodeURIComponent(slash < 0 ? pathname.slice(1) : pathname.slice(1, slash));
  const key = slash < 0 ? "" : decodeURIComponent(pathname.slice(slash + 1));
  const isCopy = headers["x-amz-copy-source"] !== undefined;
  const operation =
    key === "" ? bucketOperation(method, query) : objectOperation(method, query, isCopy);
  return { operation, bucket, key, query, headers };
}

function bucketOperation(method: string, query: URLSearchParams): S3Operation {
  if (method === "PUT") return "CreateBucket";
  if (method === "HEAD") return "HeadBucket";
  if (method === "GET" && query.has("uploads")) return "ListMultipartUploads";
  if (method === "GET" && query.get("list-type") === "2") return "ListObjectsV2";
  return method === "POST" && query.has("delete") ? "DeleteObjects" : "Unknown";
}

function objectOperation(method: string, query: URLSearchParams, isCopy: boolean): S3Operation {
  const isPart = query.has("uploadId");
  if (method === "PUT" && isPart) return isCopy ? "UploadPartCopy" : "UploadPart";
  if (method === "PUT") return isCopy ? "CopyObject" : "PutObject";
  if (method === "POST" && query.has("uploads")) return "CreateMultipartUpload";
  if (method === "POST" && isPart) return "CompleteMultipartUpload";
  if (method === "DELETE") return isPart ? "AbortMultipartUpload" : "DeleteObject";
  if (method === "GET") return "GetObject";
  return method === "HEAD" ? "HeadObject" : "Unknown";
}
