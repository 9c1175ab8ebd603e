import { ArtifactStoreError, type ArtifactStore, type ByteRange } from "@ccl/artifact-store";
import { readContent } from "@ccl/compress";
import type { Part, ToolDefinition } from "@ccl/core";
import { toBase64 } from "@ccl/core/json";

import {
  type ArtifactSource,
  defaultAnswerTokens,
  findSource,
  type FoundArtifact,
  isText,
  maxAnswerTokens,
  maxNumberedBytes,
  notFound,
  refuseArtifact,
} from "./artifact-source.ts";
import { readLines } from "./read-lines.ts";

/** The model's input: an artifact, and the lines, rows or bytes to read. */
export interface ReadArtifactInput {
  /** The artifact's id, or the leading digits shown in the prompt. */
  handle: string;
  /** Line numbers, from 1. Both are included. */
  lines?: { start: number; end?: number | undefined } | undefined;
  /** Rows of JSON, a table or a page, by the numbers that the model saw. From 1, both included. */
  rows?: { start: number; end?: number | undefined } | undefined;
  /** Byte offsets, from 0. `end` is excluded. */
  bytes?: { start: number; end?: number | undefined } | undefined;
  /** Approximate token limit of the answer. 400 by default. */
  maxTokens?: number | undefined;
}

const range = {
  type: "object",
  properties: { start: { type: "integer" }, end: { type: "integer" } },
  required: ["start"],
};

/** Maximum size of an image to show whole. */
const maxImageBytes = 1024 * 1024;

/** Creates the tool `read_artifact`, which reads a limited range of a stored result, by lines or bytes. */
export function readArtifactTool(
  source: ArtifactSource,
): ToolDefinition<ReadArtifactInput, string | { content: Part[] }> {
  return {
    name: "read_artifact",
    description:
      "Reads lines or rows (from 1, inclusive), by the numbers shown, or bytes (from 0, end exclusive) of a stored result, " +
      "named by the id shown in the conversation. To look for something use search_artifact. Long pieces are cut, and the answer says how to go on.",
    inputSchema: {
      type: "object",
      properties: {
        handle: { type: "string" },
        lines: range,
        rows: range,
        bytes: range,
        maxTokens: { type: "integer", minimum: 50, maximum: maxAnswerTokens },
      },
      required: ["handle"],
      additionalProperties: false,
    },
    execute: (input, { signal }) => readWithin(input, source, signal),
  };
}

/** Upper bound on characters per token. If the answer has too many tokens, fewer characters are read. */
const charsPerToken = 4;

async function readWithin(
  input: ReadArtifactInput,
  source: ArtifactSource,
  signal: AbortSignal | undefined,
): Promise<string | { content: Part[] }> {
  const refusal = refuseRead(input);
  if (refusal !== undefined) return refusal;
  const maxTokens = input.maxTokens ?? defaultAnswerTokens;
  let maxChars = maxTokens * charsPerToken;
  for (;;) {
    const answer = await readArtifact(input, { source, maxChars, signal });
    const fits = typeof answer !== "string" || source.counter.count(answer) <= maxTokens;
    if (fits || maxChars < charsPerToken) return answer;
    maxChars = Math.floor(maxChars * 0.7);
  }
}

/** Checks the input. Models do not always follow the schema, so the answer explains what to change. */
function refuseRead(input: Partial<ReadArtifactInput>): string | undefined {
  const handle = String(input.handle ?? "");
  if (typeof input.handle !== "string") return refuseArtifact(handle, notFound);
  for (const name of ["lines", "rows", "bytes"] as const) {
    const { start, end } = input[name] ?? { start: 0 };
    const areNumbers = Number.isFinite(start) && (end === undefined || Number.isFinite(end));
    if (!areNumbers) return refuseArtifact(handle, `${name} has to be {"start": 1, "end": 20}`);
    if (end !== undefined && end < start)
      return refuseArtifact(handle, `${name} end at ${end}, before they start at ${start}`);
  }
  return undefined;
}

interface ReadContext {
  source: ArtifactSource;
  maxChars: number;
  signal: AbortSignal | undefined;
}

async function readArtifact(
  input: ReadArtifactInput,
  context: ReadContext,
): Promise<string | { content: Part[] }> {
  try {
    const found = await findSource(input.handle, context.source, context.signal);
    if (found === undefined) return refuseArtifact(input.handle, notFound);
    const numbered = await readNumbered(input, found, context);
    if (numbered !== undefined) return numbered;
    const piece = isText(found.mimeType) || input.lines !== undefined ? readText : readBytes;
    return (
      (await piece(input, found, context)) ?? refuseArtifact(input.handle, "it is no longer stored")
    );
  } catch (error) {
    if (!ArtifactStoreError.isInstance(error) || error.code === "aborted") throw error;
    return refuseArtifact(input.handle, `the store failed (${error.code})`);
  }
}

/** Reads rows, or lines of text stored as JSON, by the numbers that the model saw. */
async function readNumbered(
  { rows, lines }: ReadArtifactInput,
  { artifactId, mimeType, sizeBytes }: FoundArtifact,
  { source: { store, counter }, maxChars, signal }: ReadContext,
): Promise<string | undefined> {
  const range = rows ?? (/json/.test(mimeType) ? lines : undefined);
  if (range === undefined || sizeBytes > maxNumberedBytes) return undefined;
  const data = await store.retrieve(artifactId, { signal });
  if (data === undefined) return undefined;
  const text = new TextDecoder().decode(data);
  const { start: from, end: to = Number.MAX_SAFE_INTEGER } = range;
  const budget = Math.floor(maxChars / charsPerToken) - headTokens;
  const piece = readContent(text, { from, to, budget, counter });
  // JSON that was stored unquoted does not have such lines.
  if (rows === undefined && piece.numbering === "rows") return undefined;
  const { numbering, last, isCut } = piece;
  const head = `[artifact ${artifactId.slice(0, 12)}, ${mimeType}, `;
  if (last < from) return `${head}it has ${last} ${numbering}]`;
  const rest =
    piece.to >= Math.min(last, to)
      ? piece.to >= last
        ? "to the end"
        : `of ${last}`
      : `continue with ${numbering} from ${piece.to + 1}`;
  const cut = isCut ? ", shortened" : "";
  return `${head}${numbering} ${from} to ${piece.to}${cut}, ${rest}]\n${piece.text}`;
}

/** Tokens reserved for the line that names the artifact. */
const headTokens = 40;

async function readText(
  { lines, bytes }: ReadArtifactInput,
  artifact: FoundArtifact,
  { source: { store }, maxChars, signal }: ReadContext,
): Promise<string | undefined> {
  if (lines === undefined && bytes !== undefined)
    return readRange(bytes, artifact, {
      store,
      maxBytes: maxChars,
      toText: wholeCharacters,
      signal,
    });
  const stream = await store.retrieveStream(artifact.artifactId, { signal });
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

/** Reads up to `maxBytes` of an artifact. Precedes them with a line that names the range. */
async function readRange(
  { start, end }: ByteRange,
  { artifactId, mimeType, sizeBytes }: FoundArtifact,
  { store, maxBytes, toText, signal }: RangeContext,
): Promise<string | undefined> {
  const from = clamp(start, sizeBytes);
  const to = Math.max(from, Math.min(clamp(end ?? sizeBytes, sizeBytes), from + maxBytes));
  const piece = await store.retrieve(artifactId, { range: { start: from, end: to }, signal });
  if (piece === undefined) return undefined;
  const head = `[artifact ${artifactId.slice(0, 12)}, ${mimeType}, bytes ${from} to ${from + piece.length} of ${sizeBytes}]`;
  return `${head}${toText(piece)}`;
}

interface RangeContext {
  store: ArtifactStore;
  maxBytes: number;
  toText(piece: Uint8Array): string;
  signal: AbortSignal | undefined;
}

/** Removes partial characters at both ends, since a range may start or end inside one. */
function wholeCharacters(piece: Uint8Array): string {
  return `\n${new TextDecoder().decode(piece).replace(/^\uFFFD{1,3}|\uFFFD{1,3}$/g, "")}`;
}

function clamp(place: number, sizeBytes: number): number {
  return Math.min(Math.max(0, Math.trunc(place)), sizeBytes);
}

async function readBytes(
  { bytes }: ReadArtifactInput,
  artifact: FoundArtifact,
  { source: { store }, maxChars, signal }: ReadContext,
): Promise<string | { content: Part[] } | undefined> {
  const { artifactId, mimeType, sizeBytes } = artifact;
  if (bytes === undefined && mimeType.startsWith("image/") && sizeBytes <= maxImageBytes) {
    const data = await store.retrieve(artifactId, { signal });
    return data === undefined ? undefined : { content: [{ type: "image", mimeType, data }] };
  }
  return readRange(bytes ?? { start: 0 }, artifact, {
    store,
    maxBytes: Math.floor((maxChars * 3) / 4),
    toText: (piece) => ` as base64\n${toBase64(piece)}`,
    signal,
  });
}
