import { parseJson } from "@ccl/core/json";

import { C_STYLE, compactText, type LexicalStyle } from "../compact-text.ts";
import type { Declaration } from "../declaration.ts";
import { keyDeclaration, shapeOf } from "./data-shape.ts";

const STYLE: LexicalStyle = { ...C_STYLE, quotes: '"' };
const TOKEN = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*|[{}[\],:]/g;

interface Entry {
  key: string;
  start: number;
  valueStart: number;
  end: number;
}

/**
 * Finds the members of the outermost object without parsing, so that it also works on a broken
 * file.
 */
function readEntries(text: string): Entry[] {
  const entries: Entry[] = [];
  let depth = 0;
  let pendingKey: { key: string; start: number } | undefined;
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    const [mark] = token;
    if (mark === "/*") {
      const end = text.indexOf("*/", token.index);
      TOKEN.lastIndex = end < 0 ? text.length : end + 2;
      continue;
    }
    const last = entries.at(-1);
    if ((mark === "," && depth === 1) || (depth === 1 && (mark === "}" || mark === "]"))) {
      if (last !== undefined && last.end < 0) last.end = token.index;
    }
    if (mark === "{" || mark === "[") depth++;
    else if (mark === "}" || mark === "]") depth--;
    else if (depth === 1 && mark.startsWith('"'))
      pendingKey = { key: mark.slice(1, -1), start: token.index };
    else if (depth === 1 && mark === ":" && pendingKey !== undefined) {
      entries.push({ ...pendingKey, valueStart: token.index + 1, end: -1 });
      pendingKey = undefined;
    }
  }
  return entries;
}

/** Parses JSON that may have comments and trailing commas. Returns undefined if the text is not JSON. */
export function parseLooseJson(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? parseJson(compactText(text, STYLE)) : value;
}

/** Returns the top-level keys of JSON with the shape of their values. Allows comments and trailing commas. */
export function readJson(text: string): { declarations: Declaration[]; hasErrors: boolean } {
  if (text.trimStart().startsWith("[")) {
    const value = parseLooseJson(text);
    if (value === undefined) return { declarations: [], hasErrors: true };
    const place = { firstLine: 1, lastLine: text.split("\n").length };
    return { declarations: [keyDeclaration("array", shapeOf(value), place)], hasErrors: false };
  }
  let hasErrors = false;
  let line = 1;
  let position = 0;
  const advance = (to: number): number => {
    for (; position < to; position++) if (text.charCodeAt(position) === 10) line++;
    return line;
  };
  const declarations = readEntries(text).map((entry) => {
    const end = entry.end < 0 ? text.length : entry.end;
    const value = parseLooseJson(text.slice(entry.valueStart, end));
    if (value === undefined) hasErrors = true;
    const shape = value === undefined ? "…" : shapeOf(value);
    return keyDeclaration(entry.key, shape, {
      firstLine: advance(entry.start),
      lastLine: advance(end),
    });
  });
  return {
    declarations,
    hasErrors: hasErrors || (declarations.length === 0 && parseLooseJson(text) === undefined),
  };
}
