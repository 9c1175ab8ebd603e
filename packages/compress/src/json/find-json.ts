import { parseExactly } from "./parse-exactly.ts";

/** An object or a list, and the few lines of text that stood around it. */
export interface FoundJson {
  value: object;
  /** In front of it and behind it; empty where nothing stood there. */
  lead: string;
  tail: string;
}

/** Characters of the text around JSON that is still shown with it. */
const longestFrame = 300;
/** Brackets at which JSON may begin that are tried, the first and those that begin a line first; of those that stand together the first. */
const maxStarts = 4;
/** Brackets at which it may end that are tried, from the last one on. */
const maxEnds = 3;
const deepestWrap = 3;

/** The text that a JSON string, or an answer of MCP written as JSON, holds; any other text as it is. */
export function unwrapText(text: string): string {
  let inner = text;
  for (let depth = 0; depth < deepestWrap; depth += 1) {
    const held = heldText(inner);
    if (held === undefined) return inner;
    inner = held;
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

/** The texts of an answer that has nothing else in it. */
function textOfAnswer(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null || !("content" in answer)) return undefined;
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

/** Of a part that says nothing but its text. */
function textOfPart(part: unknown): string | undefined {
  if (typeof part !== "object" || part === null || !("type" in part && "text" in part))
    return undefined;
  const isText = part.type === "text" && Object.keys(part).every((key) => textPartKeys.has(key));
  return isText && typeof part.text === "string" ? part.text : undefined;
}

/**
 * JSON with no more than a little text in front of it and in the lines behind it; objects one after the other, as in JSON by
 * lines, as one array. Undefined where there is none.
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
  // The longest that is JSON: what it holds, and brackets in the words around it, may be some too.
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

/** What nests deeper is no table. */
const deepest = 5_000;

function isTooDeep(json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length && depth <= deepest; at += 1) {
    const code = json.charCodeAt(at);
    // Brackets and braces, opening and closing.
    if (code === 91 || code === 123) depth += 1;
    else if (code === 93 || code === 125) depth -= 1;
  }
  return depth > deepest;
}

function parseContainer(json: string): object | undefined {
  if (isTooDeep(json)) return undefined;
  try {
    const value = parseExactly(json);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function isLineStart(text: string, index: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(0, index));
}

/** Inside JSON no line feed stands between a closing and an opening brace. */
function joinObjects(text: string): string {
  const joined = text.replace(/\}[ \t\r]*\n\s*\{/g, "},{");
  return joined === text ? text : `[${joined}]`;
}

function frame(text: string): string {
  return text.replace(/^[ \t]*```.*$/gm, "").trim();
}
