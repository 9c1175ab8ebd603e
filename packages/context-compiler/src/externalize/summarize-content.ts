import { truncateMiddle, type TokenCounter } from "@ccl/core";
import { compactJson } from "../compact-forms/compact-json.ts";
import { looksLikeLog, namesFault, summarizeLog } from "./summarize-log.ts";

/** What a summary is counted by, and how long it may be. */
export interface SummarizeOptions {
  counter: TokenCounter;
  /** For JSON, tables, logs and errors; 400 by default. */
  maxTokens?: number;
  /** Of plain text; 200 by default. */
  maxChars?: number;
}

/** A text and what is known of it. */
export interface TextContent {
  text: string;
  mimeType: string;
  /** The text says what went wrong. */
  isError?: boolean;
}

const tableTypes = new Set(["text/csv", "text/tab-separated-values"]);
const markdownTable = /^\s{0,3}\|.+\|\s*\n\s{0,3}\|[\s:|-]+\|\s*$/m;
/** How much of a text is looked at to tell what it is. */
const sampleChars = 20_000;

/** The media type of a text: `application/json` where it is a JSON object or array, else plain text. */
export function guessMimeType(text: string): string {
  if (!/^\s*[[{]/.test(text.slice(0, 1_000))) return "text/plain; charset=utf-8";
  try {
    JSON.parse(text);
    return "application/json";
  } catch {
    return "text/plain; charset=utf-8";
  }
}

/**
 * What a model sees of a text that was stored: JSON, also by lines, as a compact form, the first rows of a table, the
 * first, last and faulty lines of a log or an error, the first 200 characters of anything else. The same text gives the same summary.
 */
export function summarizeText(content: TextContent, options: SummarizeOptions): string {
  const { counter, maxTokens = 400, maxChars = 200 } = options;
  const { text, mimeType, isError = false } = content;
  const form = compactJson(jsonLines(text) ?? text, { counter, maxTokens });
  if (form !== undefined && form.text !== "") return form.text;
  const sample = text.slice(0, sampleChars);
  if (isTable(sample, mimeType)) return headLines(text, { counter, maxTokens });
  const isLog = looksLikeLog(sample) || namesFault(sample) || namesFault(text.slice(-sampleChars));
  if (isError || isLog) return summarizeLog(text, { counter, maxTokens });
  return headChars(text, maxChars);
}

/** What a model sees of bytes that were stored. */
export function summarizeBytes(bytes: Uint8Array, mimeType: string): string {
  const kind = /^(image|audio|video)\//.exec(mimeType)?.[1] ?? "binary";
  const size = kind === "image" ? imageSize(bytes) : undefined;
  return size === undefined ? `${kind} content` : `image of ${size.width} x ${size.height} pixels`;
}

/** Objects of JSON, one a line, as one array; undefined for any other text. */
function jsonLines(text: string): string | undefined {
  if (!isObjectText(text.slice(0, Math.max(0, text.indexOf("\n"))))) return undefined;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.length > 1 && lines.every(isObjectText) ? `[${lines.join(",")}]` : undefined;
}

function isObjectText(line: string): boolean {
  return line.trimStart().startsWith("{") && line.trimEnd().endsWith("}");
}

function isTable(sample: string, mimeType: string): boolean {
  if (tableTypes.has(mimeType.split(";")[0]?.trim().toLowerCase() ?? "")) return true;
  return markdownTable.test(sample) || [",", "\t", ";", "|"].some((separator) => hasColumns(sample, separator));
}

const sampleRows = 20;

/** True where each of the first lines has as many cells as the first one, which are names. */
function hasColumns(sample: string, separator: string): boolean {
  // The sample may end within a row.
  const lines = sample.split(/\r?\n/, sampleRows + 1).slice(0, -1);
  const [names = [], ...rows] = lines.map((line) => line.split(separator));
  const isHeader =
    names.length > 1 && names.every((name) => /^"?[\p{L}_][\p{L}\p{N}_ .()%/-]{0,40}"?$/u.test(name.trim()));
  return isHeader && rows.length > 2 && rows.every((row) => row.length === names.length);
}

/** Whole lines from the start, and how many follow. */
function headLines(text: string, { counter, maxTokens }: { counter: TokenCounter; maxTokens: number }): string {
  const lines = text.split(/\r?\n/);
  while (lines.at(-1) === "") lines.pop();
  const marker = (left: number): string => (left === 0 ? "" : `[... ${left} more lines ...]`);
  let kept = 0;
  let tokens = counter.count(marker(lines.length));
  for (; kept < lines.length; kept += 1) {
    const line = lines[kept] ?? "";
    tokens += line.length > maxTokens * 20 ? maxTokens + 1 : counter.count(`${line}\n`);
    if (tokens > maxTokens) break;
  }
  const shown = [...lines.slice(0, kept), marker(lines.length - kept)].filter((line) => line !== "").join("\n");
  if (kept > 0 && counter.count(shown) <= maxTokens) return shown;
  return truncateMiddle(text.slice(0, maxTokens * 20), { maxTokens, counter }).text;
}

/** The first characters, cut at the end of a word where one is near, and how much follows. */
function headChars(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const room = maxChars - marker(text.length).length;
  const cut = text.slice(0, room).search(/\s\S{0,30}$/);
  const head = text.slice(0, cut > room / 2 ? cut : room).replace(/[\uD800-\uDBFF]$/, "");
  return head + marker(text.length - head.length);
}

function marker(left: number): string {
  return ` [... ${String(left).replace(/\B(?=(?:\d{3})+$)/g, ",")} more characters]`;
}

/** The pixels of a PNG, GIF or JPEG, read from its header. */
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
    const isFrame = segment >= 0xc0 && segment <= 0xcf && segment !== 0xc4 && segment !== 0xc8 && segment !== 0xcc;
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return undefined;
}
