import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";

/** What a file's content is known by. */
export interface ContentHash {
  /** Of the text with CRLF as LF; of a binary file, the bytes as they are. */
  sha256: string;
  isBinary: boolean;
}

const SNIFFED_BYTES = 8192;

/** True when there is a NUL in the first 8 KiB, which is git's rule too, and no mark of UTF-16. */
export function isBinary(bytes: Buffer): boolean {
  return utf16Of(bytes) === undefined && bytes.subarray(0, SNIFFED_BYTES).includes(0);
}

function utf16Of(bytes: Buffer): "utf-16le" | "utf-16be" | undefined {
  const mark = bytes.length > 1 ? bytes.readUInt16BE(0) : 0;
  if (mark === 0xfffe) return "utf-16le";
  return mark === 0xfeff ? "utf-16be" : undefined;
}

/** A text with LF line ends, and the encoding that it was read by where that is not UTF-8. */
export function decodeText(bytes: Buffer): { text: string; encoding?: string | undefined } {
  if (isUtf8(bytes)) return { text: withLineFeeds(bytes).toString("utf8") };
  const encoding = utf16Of(bytes) ?? "latin1";
  return { text: new TextDecoder(encoding).decode(bytes).replaceAll("\r\n", "\n"), encoding };
}

/** Hashes a whole content. */
export function hashContent(bytes: Buffer): ContentHash {
  const binary = isBinary(bytes);
  return { sha256: hash("sha256", binary ? bytes : withLineFeeds(bytes)), isBinary: binary };
}

/** The bytes with each CRLF as LF; the same buffer where there is none. */
export function withLineFeeds(bytes: Buffer): Buffer {
  // Latin-1 maps bytes to code units one to one, so the text's own encoding does not matter.
  return bytes.includes("\r\n")
    ? Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1")
    : bytes;
}

/** The first 8 digits of the hash of the bytes as they are on disk: what AdaOS may have recorded for a CRLF checkout. */
export function rawSha8(bytes: Buffer): string {
  return hash("sha256", bytes).slice(0, 8);
}
