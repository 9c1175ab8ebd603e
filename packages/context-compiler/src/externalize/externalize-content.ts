import { ArtifactStoreError, type ArtifactStore } from "@ccl/artifact-store";
import type { TokenCounter } from "@ccl/core";
import { fromBase64 } from "@ccl/core/json";
import { compress, type CompressOptions } from "@ccl/compress";
import { createMessageMeter } from "../fit/message-meter.ts";
import type { ArtifactPart, EventContent, EventPart } from "../event/session-event.ts";
import type { StoredTexts } from "./stored-texts.ts";

/** Where to store payloads, and above which size. */
interface ExternalizeOptions {
  store: ArtifactStore;
  aboveTokens: number;
  counter: TokenCounter;
  sessionId: string;
  /** Same as in the artifact's handle, e.g. `tool:read_file`. */
  source: string;
  /** The text's media type. Guessed if absent. */
  mimeType?: string | undefined;
  /** The question that the content answers. Selects what the summary shows. */
  query?: string | undefined;
  /** Texts stored earlier. New texts are added. */
  storedTexts?: StoredTexts | undefined;
  signal?: AbortSignal | undefined;
}

/** Content whose payloads are in the store. */
interface ExternalizedContent {
  content: EventContent;
  /** The artifacts in `content`, in order. */
  artifacts: ArtifactPart[];
  /** The store's error code if it rejected the payload. In that case the content is unchanged. */
  failure?: string | undefined;
}

/**
 * Stores content above the threshold: all of its text together, and each image or file separately.
 * Artifacts replace the stored payloads. If the store fails, returns the content unchanged.
 * @throws ArtifactStoreError `aborted`
 */
export async function externalizeContent(
  content: EventContent,
  options: ExternalizeOptions,
): Promise<ExternalizedContent> {
  try {
    const parts = typeof content === "string" ? [textPart(content)] : content;
    const withText = await withStoredText(parts, options);
    const stored: EventPart[] = [];
    for (const part of withText) stored.push(await withStoredBytes(part, options));
    const artifacts = stored.filter((part) => part.type === "artifact");
    const isUnchanged = stored.every((part, index) => part === parts[index]);
    return isUnchanged ? { content, artifacts: [] } : { content: stored, artifacts };
  } catch (error) {
    options.signal?.throwIfAborted();
    const failure = ArtifactStoreError.isInstance(error) ? error.code : "unavailable";
    return { content, artifacts: [], failure };
  }
}

/**
 * Upper bound on characters per token. With it, the start of a text is enough to see whether the
 * text exceeds a threshold.
 */
const charsPerToken = 16;

/** True if the text has more tokens. Reads no more of a huge text than necessary. */
export function isAboveTokens(text: string, aboveTokens: number, counter: TokenCounter): boolean {
  if (text.length <= aboveTokens) return counter.count(text) > aboveTokens;
  const enough = text.slice(0, aboveTokens * charsPerToken);
  if (counter.count(enough) > aboveTokens) return true;
  return enough.length < text.length && counter.count(text) > aboveTokens;
}

function textPart(text: string): EventPart {
  return { type: "text", text };
}

async function withStoredText(
  parts: readonly EventPart[],
  options: ExternalizeOptions,
): Promise<readonly EventPart[]> {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const text = texts.join("\n\n");
  if (texts.length === 0 || !isAboveTokens(text, options.aboveTokens, options.counter))
    return parts;
  const mimeType = options.mimeType ?? guessMimeType(text);
  const { counter, query, storedTexts } = options;
  const summary = summarizeText(text, { counter, query, known: storedTexts?.known() });
  const artifact = await storePayload(text, { mimeType, summary }, options);
  storedTexts?.offer(artifact.artifactId, text);
  const first = parts.findIndex(({ type }) => type === "text");
  return parts.flatMap((part, index) =>
    index === first ? [artifact] : part.type === "text" ? [] : [part],
  );
}

async function withStoredBytes(part: EventPart, options: ExternalizeOptions): Promise<EventPart> {
  if ((part.type !== "image" && part.type !== "file") || part.dataBase64 === undefined) return part;
  const bytes = fromBase64(part.dataBase64);
  const { mimeType } = part;
  const tokens = createMessageMeter(options.counter).of({
    role: "tool",
    content: [{ type: part.type, mimeType }],
  });
  if (bytes === undefined || tokens <= options.aboveTokens) return part;
  return storePayload(bytes, { mimeType, summary: summarizeBytes(bytes, mimeType) }, options);
}

async function storePayload(
  payload: string | Uint8Array,
  { mimeType, summary }: { mimeType: string; summary: string },
  { store, source, sessionId, signal }: ExternalizeOptions,
): Promise<ArtifactPart> {
  const handle = await store.store(payload, { source, mimeType, sessionId, summary, signal });
  const { artifactId, handleId, sizeBytes } = handle;
  return { type: "artifact", artifactId, handleId, summary, sizeBytes, mimeType: handle.mimeType };
}

/** Token limit for the text that a prompt first shows for a stored result. */
const summaryTokens = 400;

/**
 * Guesses the media type of a text: `application/json` for a JSON object or array, else plain text.
 */
function guessMimeType(text: string): string {
  if (!/^\s*[[{]/.test(text.slice(0, 1_000))) return "text/plain; charset=utf-8";
  try {
    JSON.parse(text);
    return "application/json";
  } catch {
    return "text/plain; charset=utf-8";
  }
}

/**
 * Summarizes a stored text for a model in 400 tokens. Selects by the question and by texts stored
 * earlier.
 */
function summarizeText(text: string, options: Omit<CompressOptions, "budget">): string {
  return compress(text, { ...options, budget: summaryTokens }).text;
}

/** Describes stored binary data for a model. */
function summarizeBytes(bytes: Uint8Array, mimeType: string): string {
  const kind = /^(image|audio|video)\//.exec(mimeType)?.[1] ?? "binary";
  const size = kind === "image" ? imageSize(bytes) : undefined;
  return size === undefined ? `${kind} content` : `image of ${size.width} x ${size.height} pixels`;
}

/** Reads the dimensions in pixels of a PNG, GIF or JPEG from its header. */
function imageSize(bytes: Uint8Array): { width: number; height: number } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length >= 24 && view.getUint32(0) === 0x89504e47) {
    return { width: view.getUint32(16), height: view.getUint32(20) };
  }
  if (bytes.length >= 10 && view.getUint32(0) === 0x47494638) {
    return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  }
  return bytes.length >= 4 && view.getUint16(0) === 0xffd8 ? jpegSize(view) : undefined;
}

function jpegSize(view: DataView): { width: number; height: number } | undefined {
  for (let at = 2; at + 9 <= view.byteLength && view.getUint8(at) === 0xff;) {
    const segment = view.getUint8(at + 1);
    const isFrame =
      segment >= 0xc0 &&
      segment <= 0xcf &&
      segment !== 0xc4 &&
      segment !== 0xc8 &&
      segment !== 0xcc;
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return undefined;
}
