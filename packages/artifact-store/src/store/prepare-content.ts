import type { ArtifactContent } from "../artifact-store.ts";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import {
  chunkBytes,
  type ArtifactDriver,
  type BlobRecord,
  type StagedBlob,
} from "../driver/artifact-driver.ts";
import { headBytes } from "../summary/make-summary.ts";
import { concatBytes, RecordHasher, recordOf } from "./blob-record.ts";
import { throwIfAborted } from "./call-scope.ts";
import { invalidInput, isWellFormed, quoted } from "./check-input.ts";
import { ChunkAssembler } from "./chunk-assembler.ts";
import { isBytes } from "./is-bytes.ts";
import { readPieces } from "./read-pieces.ts";

/** A content that is hashed and, when it is long, staged. */
export interface PreparedContent {
  record: BlobRecord;
  content: Uint8Array | StagedBlob;
  /** Its first bytes, at most `headBytes`. */
  head: Uint8Array;
}

/** What one content may take and where it waits. */
export interface PrepareOptions {
  driver: ArtifactDriver;
  /** Longer content is refused with `limit_exceeded`, while it is read. */
  maxBytes: number;
  /** Every blob that is staged is put here before anything is written, so that the caller can discard it. */
  staged: StagedBlob[];
  signal: AbortSignal | undefined;
}

/** The content as it is now: bytes are copied, since the caller may change them while the store waits. */
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
    `The content is ${quoted(content)}; give text, a Uint8Array or an async iterable of Uint8Array.`,
  );
}

/** Of what `takeContent` gave; within the call for bytes that are not staged. */
export function prepareContent(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  options: PrepareOptions,
): PreparedContent | Promise<PreparedContent> {
  if (!isBytes(content)) return prepareStream(content, options);
  checkSize(content.length, options.maxBytes);
  const head = content.length <= headBytes ? content : content.subarray(0, headBytes);
  if (content.length > inlineLimit(options.driver))
    return stageBytes(content, { ...options, head });
  return { record: recordOf(content), content, head };
}

/** Of contents up to here, the driver gets the bytes themselves. */
export function inlineLimit(driver: ArtifactDriver): number {
  return driver.maxInlineBytes ?? chunkBytes;
}

async function stageBytes(
  bytes: Uint8Array,
  options: PrepareOptions & { head: Uint8Array },
): Promise<PreparedContent> {
  const hasher = new RecordHasher();
  const staged = await stage(options);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    throwIfAborted(options.signal);
    const chunk = bytes.subarray(at, at + chunkBytes);
    await writeHashed(chunk, { staged, hasher });
  }
  return { record: hasher.finish(), content: staged, head: options.head };
}

async function prepareStream(
  pieces: AsyncIterable<Uint8Array>,
  options: PrepareOptions,
): Promise<PreparedContent> {
  const hasher = new RecordHasher();
  const assembler = new ChunkAssembler({ isReused: true });
  const inline: Uint8Array[] = [];
  let staged: StagedBlob | undefined;
  let head = new Uint8Array();
  let sizeBytes = 0;
  const keep = async (chunk: Uint8Array): Promise<void> => {
    if (hasher.sizeBytes === 0) head = chunk.slice(0, headBytes);
    if (staged === undefined && hasher.sizeBytes + chunk.length <= inlineLimit(options.driver)) {
      inline.push(chunk.slice());
      hasher.add(chunk);
      return;
    }
    staged ??= await stage(options);
    for (const earlier of inline.splice(0)) await staged.write(earlier);
    await writeHashed(chunk, { staged, hasher });
  };
  for await (const piece of readPieces(pieces, options.signal)) {
    sizeBytes += piece.length;
    checkSize(sizeBytes, options.maxBytes);
    for (const chunk of assembler.add(piece)) await keep(chunk);
  }
  const rest = assembler.rest();
  if (rest.length > 0) await keep(rest);
  return { record: hasher.finish(), content: staged ?? concatBytes(inline), head };
}

/** Hashes while the driver writes. */
async function writeHashed(
  chunk: Uint8Array,
  { staged, hasher }: { staged: StagedBlob; hasher: RecordHasher },
): Promise<void> {
  const writing = staged.write(chunk);
  hasher.add(chunk);
  await writing;
}

async function stage({ driver, staged, signal }: PrepareOptions): Promise<StagedBlob> {
  const blob = await driver.stage(signal === undefined ? {} : { signal });
  staged.push(blob);
  return blob;
}

function checkSize(sizeBytes: number, maxBytes: number): void {
  if (sizeBytes <= maxBytes) return;
  throw new ArtifactStoreError(
    "limit_exceeded",
    `The artifact has ${sizeBytes} bytes or more, and the limits of the store allow ${maxBytes}.`,
    { details: { maxBytes } },
  );
}
