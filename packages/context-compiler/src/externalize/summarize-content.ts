import { truncateMiddle, type TokenCounter } from "@ccl/core";
import { compactJson } from "../compact-forms/compact-json.ts";
import { findJson, unwrapText } from "./find-json.ts";
import { headChars, headRows } from "./text-head.ts";
import { imageSize } from "./image-header.ts";
import { looksLikeLog, namesError, summarizeLog } from "./summarize-log.ts";
import { isLineByLine, tableRows } from "./table-rows.ts";

/** What a summary is counted by, and how long it may be. */
export interface SummarizeOptions {
  counter: TokenCounter;
  /** For JSON, tables, logs and errors; 400 by default. */
  maxTokens?: number | undefined;
  /** Of plain text; 200 by default. */
  maxChars?: number | undefined;
}

/** A text and what is known of it. */
export interface TextContent {
  text: string;
  mimeType: string;
  /** The text says what went wrong. */
  isError?: boolean | undefined;
}

/** How much of a text is looked at to recognise it. */
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
 * What a model sees of a text that was stored: JSON, also by lines, in a JSON string or between a few lines of text, as a
 * compact form, the first rows of a table, of XML, YAML and lists, the first, last and faulty lines of a log or an error, the first
 * 200 characters of anything else. The same text gives the same summary.
 */
export function summarizeText(content: TextContent, options: SummarizeOptions): string {
  const { counter, maxTokens = 400, maxChars = 200 } = options;
  const { mimeType, isError = false } = content;
  const text = unwrapText(content.text);
  const form = summarizeJson(text, { counter, maxTokens });
  if (form !== undefined) return form;
  const sample = text.slice(0, sampleChars);
  const rows = tableRows(text, { sample, mimeType });
  if (rows !== undefined) return headRows(rows, { counter, maxTokens });
  const isLog = looksLikeLog(sample) || namesError(sample) || namesError(text.slice(-sampleChars));
  if (isError || isLog) return summarizeLog(text, { counter, maxTokens });
  if (isLineByLine(sample)) return headRows(text.split(/\r?\n/), { counter, maxTokens });
  return headChars(text, maxChars);
}

function summarizeJson(
  text: string,
  { counter, maxTokens }: { counter: TokenCounter; maxTokens: number },
): string | undefined {
  const found = findJson(text);
  if (found === undefined) return undefined;
  const { json, lead, tail } = found;
  const taken = lead === "" && tail === "" ? 0 : counter.count(`${lead}\n\n${tail}`);
  const room = Math.max(Math.floor(maxTokens / 2), maxTokens - taken);
  const form = compactJson(json, { counter, maxTokens: room });
  if (form === undefined || form.text === "") return undefined;
  const shown = [lead, form.text, tail].filter((piece) => piece !== "").join("\n");
  return counter.count(shown) <= maxTokens
    ? shown
    : truncateMiddle(shown, { maxTokens, counter }).text;
}

/** What a model sees of bytes that were stored. */
export function summarizeBytes(bytes: Uint8Array, mimeType: string): string {
  const kind = /^(image|audio|video)\//.exec(mimeType)?.[1] ?? "binary";
  const size = kind === "image" ? imageSize(bytes) : undefined;
  return size === undefined ? `${kind} content` : `image of ${size.width} x ${size.height} pixels`;
}
