import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";

/** Identifies a file's content. */
export interface ContentHash {
  /** Hash of the text with CRLF replaced by LF. Binary files are hashed unchanged. */
  sha256: string;
  isBinary: boolean;
}

const SNIFFED_BYTES = 8192;

/** Maximum share of characters that are not UTF-8. Latin-1 text has few non-ASCII letters. */
const MAX_INVALID_SHARE = 0.3;

/**
 * True if the first 8 KiB contain a NUL, as in git, or are mainly not UTF-8. False if there is a
 * UTF-16 byte order mark.
 */
function isBinary(bytes: Buffer): boolean {
  if (utf16Of(bytes) !== undefined) return false;
  const start = bytes.subarray(0, SNIFFED_BYTES);
  if (start.includes(0)) return true;
  if (isUtf8(start)) return false;
  const text = start.toString("utf8");
  return text.split("\uFFFD").length - 1 > text.length * MAX_INVALID_SHARE;
}

function utf16Of(bytes: Buffer): "utf-16le" | "utf-16be" | undefined {
  const mark = bytes.length > 1 ? bytes.readUInt16BE(0) : 0;
  if (mark === 0xfffe) return "utf-16le";
  return mark === 0xfeff ? "utf-16be" : undefined;
}

/** Decodes text without changing its line endings. Also returns the encoding if it is not UTF-8. */
export function decodeText(bytes: Buffer): { text: string; encoding?: string | undefined } {
  if (isUtf8(bytes)) return { text: bytes.toString("utf8") };
  const encoding = utf16Of(bytes) ?? "latin1";
  return { text: new TextDecoder(encoding).decode(bytes), encoding };
}

/** Hashes a file's complete content. */
export function hashContent(bytes: Buffer): ContentHash {
  const binary = isBinary(bytes);
  return { sha256: hash("sha256", binary ? bytes : withLineFeeds(bytes)), isBinary: binary };
}

/** Replaces each CRLF with LF. Returns the same buffer if there is none. */
export function withLineFeeds(bytes: Buffer): Buffer {
  // Latin-1 maps bytes to code units one to one, so the actual encoding does not matter.
  return bytes.includes("\r\n")
    ? Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1")
    : bytes;
}

/** Returns the first 8 digits of the hash of the unchanged bytes. AdaOS may have recorded them for a CRLF checkout. */
export function rawSha8(bytes: Buffer): string {
  return hash("sha256", bytes).slice(0, 8);
}
