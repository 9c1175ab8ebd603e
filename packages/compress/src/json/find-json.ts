import { isRecord, stringAt } from "@ccl/core/json";
import { parseExactly } from "./parse-exactly.ts";
import { exactMark } from "./row-unit.ts";

/** An object or a list, and the few lines of text around it. */
export interface FoundJson {
  value: object;
  /** The text before and after the JSON. Empty if there is none. */
  lead: string;
  tail: string;
}

/** Maximum length of the text before and after JSON that is shown with it. */
const longestFrame = 300;
/**
 * Maximum number of opening brackets to try. The first one and those at line starts come first. Of
 * adjacent brackets only the first is tried.
 */
const maxStarts = 4;
/** Maximum number of closing brackets to try, from the last one backwards. */
const maxEnds = 3;
const deepestWrap = 3;

/**
 * Returns the text inside a JSON string, or inside an MCP answer written as JSON. Returns other
 * text unchanged.
 */
export function unwrapText(text: string): string {
  let inner = text;
  for (let depth = 0; depth < deepestWrap; depth += 1) {
    const unwrapped = heldText(inner);
    if (unwrapped === undefined) return inner;
    inner = unwrapped;
  }
  return inner;
}

function heldText(text: string): string | undefined {
  const isString = /^\s*"/.test(text);
  if (
    !isString &&
    !/^\s*\{[^]{0,200}?"content"\s{0,9}:\s{0,9}\[\s{0,99}\{[^]{0,200}?"text"/.test(text)
  )
    return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : textOfAnswer(value);
  } catch {
    return undefined;
  }
}

/** Returns the text of an MCP answer. Undefined if the answer contains anything else. */
function textOfAnswer(answer: unknown): string | undefined {
  if (!isRecord(answer)) return undefined;
  const { content, ...others } = answer;
  if (
    !Array.isArray(content) ||
    Object.keys(others).some((key) => key !== "isError" && key !== "_meta")
  )
    return undefined;
  const texts = content.map(textOfPart);
  return texts.includes(undefined) ? undefined : texts.join("\n\n");
}

const textPartKeys = new Set(["type", "text", "annotations", "_meta"]);

/** Returns the text of one part of an answer. Undefined if the part contains anything else. */
function textOfPart(part: unknown): string | undefined {
  if (!isRecord(part) || part["type"] !== "text") return undefined;
  return Object.keys(part).every((key) => textPartKeys.has(key))
    ? stringAt(part, "text")
    : undefined;
}

/**
 * Finds JSON that has only a little text before and after it. Several objects in a row, as in JSON
 * lines, become one array. Undefined if there is none.
 */
export function findJson(text: string): FoundJson | undefined {
  const tailStart = Math.max(0, text.length - longestFrame);
  const head = text.slice(0, longestFrame);
  const ends = [...text.slice(tailStart).matchAll(/[\]}](?=[ \t\r]*(?:\n|$))/g)].slice(-maxEnds);
  const found = [...head.matchAll(/(?<![[{]\s*)(?:\{\s*(?=["}]|$)|\[\s*(?=["\d[{\]ntf-]|$))/g)].map(
    ({ index }) => index,
  );
  const likely = [
    ...found.slice(0, 1),
    ...found.filter((index) => isLineStart(head, index)),
    ...found,
  ];
  const starts = [...new Set(likely)].slice(0, maxStarts);
  // Prefers the longest span, because a part of it, or brackets in the words around it, may also
  // parse as JSON.
  const spans = ends
    .flatMap(({ index }) => starts.map((start) => ({ start, end: tailStart + index + 1 })))
    .toSorted((a, b) => b.end - b.start - (a.end - a.start));
  for (const { start, end } of spans) {
    const value = parseContainer(joinObjects(text.slice(start, end)));
    if (value !== undefined)
      return { value, lead: frame(text.slice(0, start)), tail: frame(text.slice(end)) };
  }
  return undefined;
}

/** Maximum nesting depth of JSON that is shown as a table. */
const deepest = 5_000;

function isTooDeep(json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length && depth <= deepest; at += 1) {
    const code = json.charCodeAt(at);
    // Opening and closing brackets and braces.
    if (code === 91 || code === 123) depth += 1;
    else if (code === 93 || code === 125) depth -= 1;
  }
  return depth > deepest;
}

const holdsMark = new RegExp(`${exactMark}|\\\\ue000`, "i");

function parseContainer(json: string): object | undefined {
  if (isTooDeep(json)) return undefined;
  try {
    const value = parseExactly(json, holdsMark.test(json) ? "" : exactMark);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function isLineStart(text: string, index: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(0, index));
}

/**
 * Joins objects into an array. Within one JSON value, a line feed never separates a closing brace
 * from an opening one.
 */
function joinObjects(text: string): string {
  const joined = text.replace(/\}[ \t\r]*\n\s*\{/g, "},{");
  return joined === text ? text : `[${joined}]`;
}

function frame(text: string): string {
  return text.replace(/^[ \t]*```.*$/gm, "").trim();
}
