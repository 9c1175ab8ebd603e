import { ArtifactStoreError, type ArtifactStore, type ByteRange } from "@ccl/artifact-store";
import type { Part, ToolDefinition } from "@ccl/core";
import { toBase64 } from "@ccl/core/json";
import { ContextCompilerError } from "../context-compiler-error.ts";
import { findArtifact } from "../externalize/find-artifact.ts";
import type { Session } from "../session/session.ts";
import { readLines } from "./read-lines.ts";

/** What the model asks for: an artifact, and which lines or bytes of it. */
export interface ReadArtifactInput {
  /** Its id, or the first digits of it that the prompt showed. */
  artifact: string;
  /** From 1, both included. */
  lines?: { start: number; end?: number | undefined } | undefined;
  /** From 0, `end` excluded. */
  bytes?: { start: number; end?: number | undefined } | undefined;
}

/** Where artifacts are read from, and how much at once. */
export interface ReadArtifactOptions {
  session: Session;
  /** The session's own store when absent. */
  store?: ArtifactStore | undefined;
  /** Of text in one answer; 12,000 by default. */
  maxChars?: number | undefined;
  /** Of an image shown whole, or of other bytes in one answer (those as base64, a quarter of it); 1 MiB by default. */
  maxBytes?: number | undefined;
}

const readers = new WeakSet<object>();

/** True for a tool of `createReadArtifactTool`. */
export function isArtifactReader(tool: object): boolean {
  return readers.has(tool);
}

const range = {
  type: "object",
  properties: { start: { type: "integer" }, end: { type: "integer" } },
  required: ["start"],
};

/**
 * The tool `read_artifact`: gives a model back what was stored, by lines or bytes, a bounded piece at a time. Only artifacts
 * of the session can be read. What it answers is never stored again.
 * @throws ContextCompilerError `invalid_options` without any store
 */
export function createReadArtifactTool(
  options: ReadArtifactOptions,
): ToolDefinition<ReadArtifactInput, string | { content: Part[] }> {
  const { session, maxChars = 12_000, maxBytes = 1024 * 1024 } = options;
  const store = options.store ?? session.artifactStore;
  if (store === undefined) {
    throw new ContextCompilerError(
      "invalid_options",
      "The session has no artifact store; pass `store`.",
    );
  }
  const tool: ToolDefinition<ReadArtifactInput, string | { content: Part[] }> = {
    name: "read_artifact",
    description:
      "Reads a result that was stored because of its size. Name the artifact by the id shown in the conversation, and the " +
      "lines (from 1, inclusive) or bytes (from 0, end exclusive) that you need. Long pieces are cut, and the answer says how to go on.",
    inputSchema: {
      type: "object",
      properties: { artifact: { type: "string" }, lines: range, bytes: range },
      required: ["artifact"],
      additionalProperties: false,
    },
    execute: (input, { signal }) =>
      readArtifact(input, {
        session,
        store,
        maxChars,
        maxBytes,
        signal,
      }),
  };
  readers.add(tool);
  return tool;
}

interface ReadContext {
  session: Session;
  store: ArtifactStore;
  maxChars: number;
  maxBytes: number;
  signal?: AbortSignal | undefined;
}

interface FoundArtifact {
  artifactId: string;
  mimeType: string;
  sizeBytes: number;
}

async function readArtifact(
  input: ReadArtifactInput,
  context: ReadContext,
): Promise<string | { content: Part[] }> {
  // Models copy the words around an id with it.
  const digits = /[0-9a-f]{12,64}/.exec(input.artifact.toLowerCase())?.[0] ?? "";
  const found = findArtifact(context.session.eventLog, digits)?.data;
  if (found === undefined)
    return refusal(input.artifact, "no artifact of this conversation has that id");
  try {
    const piece = isText(found.mimeType) || input.lines !== undefined ? readText : readBytes;
    return (
      (await piece(input, found, context)) ?? refusal(input.artifact, "it is no longer stored")
    );
  } catch (error) {
    if (!ArtifactStoreError.isInstance(error) || error.code === "aborted") throw error;
    return refusal(input.artifact, `the store failed (${error.code})`);
  }
}

function refusal(artifact: string, reason: string): string {
  return `[artifact ${JSON.stringify(artifact.slice(0, 80))} can't be read: ${reason}]`;
}

const textTypes =
  /^(?:text\/|application\/(?:json|xml|yaml|javascript|x-ndjson|[\w.-]+\+(?:json|xml)))/;

function isText(mimeType: string): boolean {
  return textTypes.test(mimeType.toLowerCase());
}

async function readText(
  { lines, bytes }: ReadArtifactInput,
  artifact: FoundArtifact,
  { store, maxChars, signal }: ReadContext,
): Promise<string | undefined> {
  const abort = signal === undefined ? {} : { signal };
  if (lines === undefined && bytes !== undefined)
    return readTextBytes(bytes, artifact, { store, maxChars, ...abort });
  const stream = await store.retrieveStream(artifact.artifactId, abort);
  if (stream === undefined) return undefined;
  const start = Math.max(1, Math.trunc(lines?.start ?? 1));
  const end = Math.max(start, lines?.end ?? Number.MAX_SAFE_INTEGER);
  const piece = await readLines(stream, { start, end, maxChars });
  const head = `[artifact ${artifact.artifactId.slice(0, 12)}, ${artifact.mimeType}, `;
  if (piece.lastLine < start) return `${head}it has ${piece.lastLine} lines]`;
  const next = piece.isCutInLine
    ? `line ${piece.lastLine} is longer; read it by bytes from ${piece.endByte}`
    : `go on with lines from ${piece.lastLine + 1}`;
  const rest = piece.isAtEnd ? "to the end" : next;
  return `${head}lines ${start} to ${piece.lastLine}, ${rest}]\n${piece.text}`;
}

async function readTextBytes(
  { start, end }: ByteRange,
  artifact: FoundArtifact,
  {
    store,
    maxChars,
    signal,
  }: { store: ArtifactStore; maxChars: number; signal?: AbortSignal | undefined },
): Promise<string | undefined> {
  const from = clamp(start, artifact.sizeBytes);
  const to = Math.min(clamp(end ?? artifact.sizeBytes, artifact.sizeBytes), from + maxChars);
  const abort = signal === undefined ? {} : { signal };
  const piece = await store.retrieve(artifact.artifactId, {
    range: { start: from, end: Math.max(from, to) },
    ...abort,
  });
  if (piece === undefined) return undefined;
  // A range may begin or end inside a character.
  const text = new TextDecoder().decode(piece).replace(/^\uFFFD{1,3}|\uFFFD{1,3}$/g, "");
  return `${bytesHead(artifact, from, piece.length)}\n${text}`;
}

function bytesHead(
  { artifactId, mimeType, sizeBytes }: FoundArtifact,
  start: number,
  length: number,
): string {
  return `[artifact ${artifactId.slice(0, 12)}, ${mimeType}, bytes ${start} to ${start + length} of ${sizeBytes}]`;
}

function clamp(place: number, sizeBytes: number): number {
  return Math.min(Math.max(0, Math.trunc(place)), sizeBytes);
}

async function readBytes(
  { bytes }: ReadArtifactInput,
  artifact: FoundArtifact,
  { store, maxBytes, signal }: ReadContext,
): Promise<string | { content: Part[] } | undefined> {
  const { artifactId, mimeType, sizeBytes } = artifact;
  const abort = signal === undefined ? {} : { signal };
  if (bytes === undefined && mimeType.startsWith("image/") && sizeBytes <= maxBytes) {
    const data = await store.retrieve(artifactId, abort);
    return data === undefined ? undefined : { content: [{ type: "image", mimeType, data }] };
  }
  const start = clamp(bytes?.start ?? 0, sizeBytes);
  const limit = Math.min(3_072, Math.floor(maxBytes / 4));
  const end = Math.min(clamp(bytes?.end ?? sizeBytes, sizeBytes), start + limit);
  const piece = await store.retrieve(artifactId, {
    range: { start, end: Math.max(start, end) },
    ...abort,
  });
  return piece === undefined
    ? undefined
    : `${bytesHead(artifact, start, piece.length)} as base64\n${toBase64(piece)}`;
}
