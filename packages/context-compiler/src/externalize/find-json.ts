/** JSON, and the few lines of text that stood around it. */
export interface FoundJson {
  json: string;
  /** In front of it and behind it; empty where nothing stood there. */
  lead: string;
  tail: string;
}

/** Characters of the text around JSON that is still shown with it. */
const longestFrame = 300;
/** Brackets at which JSON may begin that are tried; of those that stand together the first. */
const mostStarts = 4;
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
  if (!isString && !/^\s*\{[^]{0,200}?"content"\s{0,9}:\s{0,9}\[\s{0,99}\{[^]{0,200}?"text"/.test(text))
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
  if (!Array.isArray(content) || Object.keys(others).some((key) => key !== "isError" && key !== "_meta"))
    return undefined;
  const texts = content.map((part: unknown) =>
    typeof part === "object" && part !== null && "text" in part && typeof part.text === "string"
      ? part.text
      : undefined,
  );
  return texts.includes(undefined) ? undefined : texts.join("\n\n");
}

/**
 * JSON with no more than a little text in front of it and in the lines behind it; objects one after the other, as in JSON by
 * lines, as one array. Undefined where there is none.
 */
export function findJson(text: string): FoundJson | undefined {
  const tailStart = Math.max(0, text.length - longestFrame);
  const last = [...text.slice(tailStart).matchAll(/[\]}](?=[ \t\r]*(?:\n|$))/g)].at(-1);
  if (last === undefined) return undefined;
  const end = tailStart + last.index + 1;
  const starts = [...text.slice(0, longestFrame).matchAll(/(?<![[{]\s*)[[{]/g)].slice(0, mostStarts);
  for (const { index } of starts) {
    const json = joinObjects(text.slice(index, end));
    if (isJson(json)) return { json, lead: frame(text.slice(0, index)), tail: frame(text.slice(end)) };
  }
  return undefined;
}

/** Inside JSON no line feed stands between a closing and an opening brace. */
function joinObjects(text: string): string {
  const joined = text.replace(/\}[ \t\r]*\n\s*\{/g, "},{");
  return joined === text ? text : `[${joined}]`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function frame(text: string): string {
  return text.replace(/^[ \t]*```.*$/gm, "").trim();
}
