import { GetObjectCommand, type GetObjectCommandOutput } from "@aws-sdk/client-s3";
import { ArtifactStoreError } from "@ccl/artifact-store";
import { concatBytes } from "@ccl/artifact-store/driver";
import { pauseBeforeRetry } from "./pause-before-retry.ts";
import { requestOptions, type S3Bucket } from "./s3-bucket.ts";
import { isMissingObject, passingFailure, s3CodeOf } from "./s3-failure.ts";

/** Bytes `start` up to, not including, `end` of an object. */
export interface ReadSpan {
  start: number;
  end: number;
}

const maxCuts = 5;
/** Number of bytes that one request reads. Servers close connections that a slow reader keeps open for too long. */
const windowBytes = 8 * 1024 * 1024;

/**
 * Reads a whole small object. Undefined if it does not exist, "damaged" if its bytes do not match the server's
 * checksum. An incomplete body is requested again a few times, then the read fails.
 */
export async function readObject(
  bucket: S3Bucket,
  key: string,
  signal?: AbortSignal,
): Promise<Uint8Array | "damaged" | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await bucket.client.send(
        new GetObjectCommand(bucket.place(key)),
        requestOptions(signal),
      );
      const pieces: Uint8Array[] = [];
      for await (const piece of bodyPieces(answer.Body)) pieces.push(piece);
      const bytes = concatBytes(pieces);
      if (bytes.byteLength !== (answer.ContentLength ?? bytes.byteLength)) {
        throw cutShort(bytes.byteLength, answer.ContentLength);
      }
      return bytes;
    } catch (error) {
      signal?.throwIfAborted();
      if (isMissingObject(error)) return undefined;
      if (attempt > 1 && isChecksumMismatch(error)) return "damaged";
      if (attempt >= maxCuts || !isCut(error)) throw bucket.failure(error, "GetObject", key);
      await pauseBeforeRetry(attempt, signal);
    }
  }
}

/**
 * Reads a span of an object in pieces as they arrive. A broken connection is resumed where it stopped, a few times,
 * then the read fails. Ends early only if the object itself ends or is gone.
 */
export async function* readSpan(
  bucket: S3Bucket,
  key: string,
  options: ReadSpan & { signal?: AbortSignal | undefined },
): AsyncGenerator<Uint8Array> {
  const { signal } = options;
  let { start: at, end } = options;
  for (let cuts = 0; at < end;) {
    try {
      const stop = Math.min(end, at + windowBytes);
      const input = { ...bucket.place(key), Range: `bytes=${at}-${stop - 1}` };
      const answer = await bucket.client.send(new GetObjectCommand(input), requestOptions(signal));
      end = Math.min(end, checkedTotal(answer, at));
      for await (const piece of bodyPieces(answer.Body)) {
        at += piece.byteLength;
        yield piece;
      }
      if (at < Math.min(stop, end)) throw cutShort(at - options.start, end - options.start);
    } catch (error) {
      signal?.throwIfAborted();
      if (isMissingObject(error) || s3CodeOf(error) === "InvalidRange") return;
      cuts += 1;
      if (cuts >= maxCuts || !isCut(error)) throw bucket.failure(error, "GetObject", key);
      await pauseBeforeRetry(cuts, signal);
    }
  }
}

/**
 * Returns the length of the whole object. Checks the range, since a server that ignores ranges returns the first bytes
 * instead.
 */
function checkedTotal(answer: GetObjectCommandOutput, start: number): number {
  const [, from, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(answer.ContentRange ?? "") ?? [];
  if (Number(from) === start) return Number(total);
  if (answer.ContentRange === undefined && start === 0) return answer.ContentLength ?? Infinity;
  throw new ArtifactStoreError(
    "unsupported",
    `The server answered a range from byte ${start} with something else.`,
  );
}

/** True for a broken connection. Error responses are final, since the SDK has already retried them. */
function isCut(error: unknown): boolean {
  if (ArtifactStoreError.isInstance(error)) return error.code === "unavailable";
  return typeof error === "object" && error !== null && !("$fault" in error);
}

/**
 * True if the SDK found that a whole body does not match the checksum in the response header. Its error has neither
 * name nor code.
 */
function isChecksumMismatch(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Checksum mismatch");
}

function cutShort(got: number, expected: number | undefined): ArtifactStoreError {
  const message = `The body ended after ${got} of ${expected ?? "an unknown number of"} bytes.`;
  return passingFailure(message);
}

/** Yields the body's pieces. The SDK returns a Node stream, or a web stream in other runtimes. */
async function* bodyPieces(body: GetObjectCommandOutput["Body"]): AsyncGenerator<Uint8Array> {
  if (body === undefined) return;
  if (isAsyncIterable(body)) {
    yield* body;
    return;
  }
  const reader = body.transformToWebStream().getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}

function isAsyncIterable(value: object): value is AsyncIterable<Uint8Array> {
  return Symbol.asyncIterator in value;
}
