import { numberAt, recordAt, stringAt } from "@ccl/core/json";
import { ArtifactStoreError, type ArtifactStoreErrorCode } from "@ccl/artifact-store";

/** Describes a failed request for the error message. */
export interface FailedRequest {
  operation: string;
  bucket: string;
  key: string;
}

const fullCodes = new Set(["QuotaExceeded", "XMinioStorageFull", "InsufficientStorage"]);
const retryableCodes = new Set([
  "SlowDown",
  "ServiceUnavailable",
  "InternalError",
  "RequestTimeout",
  "RequestTimeTooSkewed",
  "ThrottlingException",
  "TimeoutError",
  "BadDigest",
  "ConditionalRequestConflict",
  "OperationAborted",
]);

/** Returns the S3 error code (`NoSuchKey`, `SlowDown`, ...), or the code of a socket error. */
export function s3CodeOf(error: unknown): string | undefined {
  const name = stringAt(error, "name");
  return (
    stringAt(error, "Code") ?? (name === "Error" ? undefined : name) ?? stringAt(error, "code")
  );
}

/** Returns the HTTP status of a response that the SDK threw. Undefined if there was no response. */
export function s3StatusOf(error: unknown): number | undefined {
  return numberAt(recordAt(error, "$metadata"), "httpStatusCode");
}

/** True if the response says that the object does not exist. A missing bucket is a different failure. */
export function isMissingObject(error: unknown): boolean {
  const code = s3CodeOf(error);
  return (
    code === "NoSuchKey" ||
    code === "NotFound" ||
    (s3StatusOf(error) === 404 && code !== "NoSuchBucket")
  );
}

/** Translates a failed request for the caller. `details` are `{ s3Code, status, isRetryable }`. */
export function s3Failure(error: unknown, request: FailedRequest): unknown {
  const code = s3CodeOf(error) ?? "an unknown error";
  if (ArtifactStoreError.isInstance(error) || code === "AbortError") return error;
  const status = s3StatusOf(error);
  const isRetryable =
    retryableCodes.has(code) || status === undefined || status >= 500 || status === 429;
  const isFull = fullCodes.has(code) || status === 507;
  const type: ArtifactStoreErrorCode = isFull ? "disk_full" : "unavailable";
  return new ArtifactStoreError(
    type,
    `${request.operation} of "${request.bucket}/${request.key}" failed: ${code}${status === undefined ? "" : ` (HTTP ${status})`}.${adviceFor(request, code, { status, isRetryable })}`,
    {
      cause: error,
      details: { s3Code: code, status, isRetryable },
    },
  );
}

/** Creates an error for a temporary failure, which a retry may avoid. */
export function passingFailure(
  message: string,
  code: ArtifactStoreErrorCode = "unavailable",
): ArtifactStoreError {
  return new ArtifactStoreError(code, message, { details: { isRetryable: true } });
}

function adviceFor(
  { bucket }: FailedRequest,
  code: string,
  { status, isRetryable }: { status: number | undefined; isRetryable: boolean },
): string {
  if (code === "NoSuchBucket")
    return ` There is no bucket "${bucket}": create it, or correct its name or the endpoint.`;
  if (code === "AccessDenied" || status === 403) {
    return " The credentials need s3:GetObject, s3:PutObject, s3:DeleteObject, s3:ListBucket, s3:AbortMultipartUpload and s3:ListBucketMultipartUploads here.";
  }
  return isRetryable ? " The same call may succeed later." : "";
}
