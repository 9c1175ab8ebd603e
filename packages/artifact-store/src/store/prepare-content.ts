import { throwIfAborted } from "@ccl/core/async";
import type { ArtifactContent } from "../artifact-store.ts";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import {
  chunkBytes,
  type ArtifactDriver,
  type BlobRecord,
  type StagedBlob,
} from "../artifact-driver.ts";
import { headBytes } from "../summary/summarize-content.ts";
import { concatBytes, RecordHasher } from "./blob-record.ts";
import { invalidInput, isWellFormed, quoted } from "./check-input.ts";
import { chunksOf, inChunks } from "./in-chunks.ts";
import { isBytes } from "./is-bytes.ts";
import { readPieces } from "./read-pieces.ts";

/** Content that is hashed and, if it is long, staged. */
export interface PreparedContent {
  record: BlobRecord;
  content: Uint8Array | StagedBlob;
  /** The first bytes, up to `headBytes`. */
  head: Uint8Array;
}

/** Length limit of content, and where it is staged. */
export interface PrepareOptions {
  driver: ArtifactDriver;
  /** Longer content is rejected with `limit_exceeded` while it is read. */
  maxBytes: number;
  /** Receives every staged blob before anything is written, so that the caller can discard it. */
  staged: StagedBlob[];
  signal: AbortSignal | undefined;
}

/** Takes a snapshot of the content. Copies bytes, since the caller may change them while the store waits. */
export function takeContent(content: ArtifactContent): Uint8Array | AsyncIterable<Uint8Array> {
  if (typeof content === "string") {
    if (!isWellFormed(content)) {
      throw invalidInput(
        "The text has lone surrogates and so no UTF-8 form; pass text.toWellFormed(), or bytes.",
      );
    }
    return new TextEncoder().encode(content);
  }
  if (isBytes(content)) return new Uint8Array(content);
  if (typeof content === "object" && content !== null && Symbol.asyncIterator in content)
    return content;
  throw invalidInput(
    `The content is ${quoted(content)}; pass text, a Uint8Array or an async iterable of Uint8Array.`,
  );
}

/** Hashes what `takeContent` returned, and stages it if it is long. */
export async function prepareContent(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  options: PrepareOptions,
): Promise<PreparedContent> {
  const { driver, signal } = options;
  const hasher = new RecordHasher();
  const inline: Uint8Array[] = [];
  let staged: StagedBlob | undefined;
  let head: Uint8Array = new Uint8Array();
  if (isBytes(content)) checkSize(content.length, options.maxBytes);
  for await (const chunk of isBytes(content)
    ? chunksOf(content)
    : inChunks(limitedPieces(content, options))) {
    throwIfAborted(signal, ArtifactStoreError);
    if (hasher.sizeBytes === 0) head = chunk.slice(0, headBytes);
    await hasher.add(chunk);
    inline.push(chunk);
    if (hasher.sizeBytes <= (driver.maxInlineBytes ?? chunkBytes)) continue;
    if (staged === undefined) options.staged.push((staged = await driver.stage({ signal })));
    for (const waiting of inline.splice(0)) await staged.write(waiting);
  }
  const whole = isBytes(content) ? content : concatBytes(inline);
  return { record: await hasher.finish(), content: staged ?? whole, head };
}

async function* limitedPieces(
  pieces: AsyncIterable<Uint8Array>,
  { maxBytes, signal }: PrepareOptions,
): AsyncGenerator<Uint8Array, void> {
  let sizeBytes = 0;
  for await (const piece of readPieces(pieces, signal)) {
    sizeBytes += piece.length;
    checkSize(sizeBytes, maxBytes);
    yield piece;
  }
}

function checkSize(sizeBytes: number, maxBytes: number): void {
  if (sizeBytes <= maxBytes) return;
  throw new ArtifactStoreError(
    "limit_exceeded",
    `The artifact has ${sizeBytes} bytes or more, and the limits of the store allow ${maxBytes}.`,
    { details: { maxBytes } },
  );
}
