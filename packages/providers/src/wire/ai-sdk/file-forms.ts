import { imageTypeOf, type MediaPart } from "@ccl/core";
import {
  fromBase64,
  isRecord,
  type JsonRecord,
  parseDataUrl,
  stringAt,
  toBase64,
  withoutUndefined,
} from "@ccl/core/json";

import { formOf, withForm } from "../original-form.ts";
import { entryOf } from "../wire-fields.ts";

/** The format's name in errors, opaque parts and forms. Also the key for the SDK's own fields in `providerMetadata`. */
export const aiSdk = "ai-sdk";

/** Versions of the SDK's model interface: `v2` in AI SDK 5, `v3` in 6, `v4` in 7. */
export type AiSdkVersion = "v2" | "v3" | "v4";

/** Maps each part type of prompts and tool outputs to the field that holds its content. */
const contentKeys: Record<string, string | undefined> = {
  file: "data",
  image: "image",
  media: "data",
  "file-data": "data",
  "image-data": "data",
  "file-url": "url",
  "image-url": "url",
};

type Content = { data: Uint8Array; mimeType?: string | undefined } | { url: string };

/**
 * Reads a file or an image in any of the SDK's forms. Returns undefined for other parts, and for files with neither
 * bytes nor URL.
 */
export function readFile(wire: JsonRecord): MediaPart | undefined {
  const { type, mediaType } = wire;
  const key = entryOf(contentKeys, type);
  const read = key === undefined ? undefined : readContent(wire[key]);
  if (typeof type !== "string" || read === undefined) return undefined;
  const given = typeof mediaType === "string" ? mediaType : undefined;
  // As in the SDK, derives a missing image type from the URL or the bytes.
  const { mimeType: own, ...content } = { mimeType: undefined, ...read.content };
  const found = given ?? own ?? ("data" in content ? imageTypeOf(content.data) : undefined);
  const isImage = type.startsWith("image") || found?.startsWith("image/") === true;
  const part: MediaPart = withoutUndefined({
    type: isImage ? "image" : "file",
    mimeType: found ?? (isImage ? "image/*" : "application/octet-stream"),
    ...content,
    filename: stringAt(wire, "filename"),
  });
  return withForm(aiSdk, part, {
    type: type === "file" ? undefined : type,
    data: read.form,
  });
}

/** Reads bytes, base64, a `data:` URL, text or another URL. Returns no `form` for bytes and `URL` objects. */
function readContent(value: unknown): { content: Content; form?: string } | undefined {
  if (value instanceof Uint8Array) return { content: { data: value } };
  if (value instanceof ArrayBuffer)
    return { content: { data: new Uint8Array(value) }, form: "buffer" };
  if (value instanceof URL) {
    const inline = parseDataUrl(value.href);
    return inline === undefined
      ? { content: { url: value.href } }
      : { content: inline, form: "dataURL" };
  }
  if (typeof value === "string") return readText(value);
  if (!isRecord(value)) return undefined;
  const { type, data, url, text } = value;
  if (type === "text" && typeof text === "string")
    return { content: { data: new TextEncoder().encode(text) }, form: "tagged-text" };
  const inner = type === "data" ? data : type === "url" ? url : undefined;
  const read =
    isRecord(inner) && !(inner instanceof Uint8Array || inner instanceof URL)
      ? undefined
      : readContent(inner);
  return read === undefined
    ? undefined
    : { content: read.content, form: `tagged${read.form === undefined ? "" : `-${read.form}`}` };
}

function readText(text: string): { content: Content; form: string } | undefined {
  const inline = parseDataUrl(text);
  if (inline !== undefined) return { content: inline, form: "dataUrl" };
  if (URL.canParse(text)) return { content: { url: text }, form: "string" };
  const data = fromBase64(text);
  return data === undefined ? undefined : { content: { data }, form: "base64" };
}

const writers: Record<string, ((data: Uint8Array, mimeType: string) => unknown) | undefined> = {
  base64: toBase64,
  dataUrl: (data, mimeType) => `data:${mimeType};base64,${toBase64(data)}`,
  dataURL: (data, mimeType) => new URL(`data:${mimeType};base64,${toBase64(data)}`),
  buffer: (data) => data.slice().buffer,
};

function writeContent({ data, url, mimeType }: MediaPart, form: string | undefined): unknown {
  if (data !== undefined) return (entryOf(writers, form) ?? ((bytes) => bytes))(data, mimeType);
  if (form === "string") return url;
  return url !== undefined && URL.canParse(url) ? new URL(url) : undefined;
}

/** Returns the form in which the SDK's message held the content. */
function originalForm(part: MediaPart): string | undefined {
  return stringAt(formOf(aiSdk, part), "data");
}

/** Returns true if the content is written as an object with a type: in version 4, or if it came that way. */
function usesTags(part: MediaPart, version: AiSdkVersion | undefined): boolean {
  return version === undefined
    ? originalForm(part)?.startsWith("tagged") === true
    : version === "v4";
}

/** Returns the part for a prompt, in its original form if the version supports it. */
export function writeFile(part: MediaPart, version?: AiSdkVersion): JsonRecord | undefined {
  const isTagged = usesTags(part, version);
  const inner = originalForm(part)?.replace(/^tagged-?/, "");
  const content = writeContent(part, inner);
  if (content === undefined) return undefined;
  const tagged =
    inner === "text" && part.data !== undefined && isTagged
      ? { type: "text", text: new TextDecoder().decode(part.data) }
      : part.data === undefined
        ? { type: "url", url: content }
        : { type: "data", data: content };
  const isImage = version === undefined && formOf(aiSdk, part)["type"] === "image";
  return withoutUndefined({
    type: isImage ? "image" : "file",
    [isImage ? "image" : "data"]: isTagged ? tagged : content,
    mediaType: part.mimeType,
    filename: part.filename,
  });
}

/** Returns the part for a tool output, in its original form if known, else in the version's form. */
export function writeOutput(
  part: MediaPart,
  version: AiSdkVersion | undefined,
): JsonRecord | undefined {
  if (usesTags(part, version)) return writeFile(part, "v4");
  const { type, mimeType: mediaType, data, filename } = part;
  const inline = data && toBase64(data);
  if (version === "v2")
    return inline === undefined ? undefined : { type: "media", data: inline, mediaType };
  const came = version === undefined ? stringAt(formOf(aiSdk, part), "type") : undefined;
  if (inline === undefined) {
    const address = came ?? `${type}-url`;
    return part.url === undefined ? undefined : { type: address, url: part.url };
  }
  const kind =
    came !== undefined && !came.endsWith("-url") && came !== "image" ? came : `${type}-data`;
  const named = kind === "image-data" ? undefined : filename;
  return withoutUndefined({ type: kind, data: inline, mediaType, filename: named });
}

/** Returns true for a version that the converters support. */
export function isVersion(version: unknown): version is AiSdkVersion | undefined {
  return version === undefined || version === "v2" || version === "v3" || version === "v4";
}
