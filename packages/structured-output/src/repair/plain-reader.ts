import { decodeString } from "./decode-string.ts";
import { followsString } from "./follows-string.ts";
import { closes, isQuote } from "./marks.ts";
import type { Repair, RepairKind } from "./repair.ts";
import { setField } from "./set-field.ts";
import { createTextView, foreignSpace, type TextView } from "./text-view.ts";
import { classifyWord } from "./words.ts";

/** `more`: the text ends before the value does. `stuck`: what comes next has no meaning or several, which a search may tell. */
export type PlainStatus = "more" | "complete" | "stuck";
type Path = (string | number)[];
type Expected = "value" | "firstValue" | "key" | "firstKey" | "colon" | "after";

interface Holder {
  items: unknown[] | undefined;
  fields: Record<string, unknown>;
  /** Where the next value goes. */
  key: string;
  count: number;
}

/** What the pass may do, and whom it notifies. */
export interface PlainOptions {
  maxDepth: number;
  maxRepairs: number;
  /** Numbers are given as they are written, as texts. */
  keepsDigits?: boolean | undefined;
  /** Called with each value that is complete, those inside a value before it. */
  onValue?: ((path: Path, value: unknown) => void) | undefined;
}

/** One pass over a value, which goes on when there is more text. */
export interface PlainReader {
  /** Continues in a text that begins as the one before. `isEnd`: no more will follow. */
  read: (text: string, isEnd: boolean) => PlainStatus;
  position: number;
  repairs: Repair[];
  /** What there is of the value. */
  value: unknown;
  /** Where a line in a string begins like the end of a code fence. */
  fenceAt: number | undefined;
  /** The place of the innermost value that is not complete, and what has come of its content where it is a string. */
  open: () => { path: Path; start: number | undefined; end: number };
}

const BARE_KEY = /[\p{L}\p{N}_$][\p{L}\p{N}_$-]{0,63}/uy;
const WORD = /[\p{L}\p{N}_.+-]{1,64}/uy;
const DIGITS = /^[+-]?\d[\d.]*(?:[eE][+-]?\d+)?$/;

/**
 * Reads a value at an offset as far as each character can mean only one thing: JSON, and beside it other quotation marks,
 * keys without marks, comments, trailing commas and other languages' words. Linear, and nothing of the text is left out.
 */
export function createPlainReader(start: number, options: PlainOptions): PlainReader {
  const { maxDepth, maxRepairs, keepsDigits, onValue } = options;
  const stack: Holder[] = [];
  let view: TextView;
  let text = "";
  let isEnd = false;
  let expected: Expected = "value";
  let string: { mark: string; from: number; at: number } | undefined;

  const fix = (kind: RepairKind, position: number): void => {
    reader.repairs.push({ kind, position });
  };
  const path = (): Path => stack.map(({ items, key, count }) => (items ? count : key));
  const add = (value: unknown): void => {
    const holder = stack.at(-1);
    if (holder === undefined) reader.value = value;
    else if (holder.items) holder.items[holder.count] = value;
    else setField(holder.fields, holder.key, value);
  };
  const finish = (value: unknown): PlainStatus | undefined => {
    expected = "after";
    onValue?.(path(), value);
    const holder = stack.at(-1);
    if (holder !== undefined) holder.count += 1;
    return stack.length === 0 ? "complete" : undefined;
  };

  const skipGaps = (): boolean => {
    for (;;) {
      const end = view.skipSpace(reader.position);
      const foreign = foreignSpace(text, reader.position, end);
      if (foreign >= 0) fix("whitespace", foreign);
      reader.position = end;
      if (!isEnd && "/`".includes(text.charAt(end)) && text.length - end < 3) return false;
      const commentEnd = view.skipComment(end);
      if (commentEnd === end) return end < text.length && !text.startsWith("```", end);
      if (commentEnd === text.length) return false;
      fix("comment", end);
      reader.position = commentEnd;
    }
  };

  const open = (isList: boolean): PlainStatus | undefined => {
    if (stack.length >= maxDepth) return "stuck";
    const holder: Holder = { items: isList ? [] : undefined, fields: {}, key: "", count: 0 };
    add(holder.items ?? holder.fields);
    stack.push(holder);
    expected = isList ? "firstValue" : "firstKey";
    reader.position += 1;
    return undefined;
  };

  const close = (): PlainStatus | undefined => {
    if (expected === "value" || expected === "key") fix("extra_comma", reader.position);
    reader.position += 1;
    const holder = stack.pop();
    return finish(holder?.items ?? holder?.fields);
  };

  const isFollowed = (from: number, isKey: boolean): boolean | undefined => {
    const holder = stack.at(-1);
    if (holder !== undefined)
      return followsString(view, from, isKey ? "key" : holder.items ? "array" : "object");
    return isEnd ? /^\s*(?:```|$)/.test(text.slice(from, from + 64)) : undefined;
  };

  const readString = (isKey: boolean): PlainStatus | undefined => {
    const mark = text.charAt(reader.position);
    string ??= { mark, from: reader.position + 1, at: reader.position + 1 };
    for (let { at } = string; at < text.length; at += 1) {
      string.at = at;
      const code = text.charCodeAt(at);
      if (code === 0x5c) {
        at += 1;
        continue;
      }
      if (code === 0x0a && text.startsWith("\n```", at)) reader.fenceAt ??= at;
      if (code !== 0x22 && code !== 0x27 && code !== 0x60 && code < 0xa0) continue;
      const fit = closes(mark, text.charAt(at));
      if (fit === undefined) continue;
      const followed = fit === "pair" && isFollowed(at + 1, isKey);
      if (followed === undefined) return "more";
      return followed ? endString(isKey, at) : "stuck";
    }
    string.at =
      text.length - (text.charAt(string.at) === "\\" && string.at === text.length - 1 ? 1 : 0);
    return "more";
  };

  const endString = (isKey: boolean, end: number): PlainStatus | undefined => {
    const { mark, from } = string ?? { mark: "", from: end };
    string = undefined;
    if (mark !== '"') fix("quote_style", from - 1);
    const decoded = decodeString(text.slice(from, end), {
      mark,
      offset: from,
      repairs: reader.repairs,
    });
    if (decoded === undefined) return "stuck";
    reader.position = end + 1;
    if (isKey) return endKey(decoded, from);
    add(decoded);
    return finish(decoded);
  };

  const endKey = (key: string, position: number): undefined => {
    const holder = stack.at(-1);
    if (holder === undefined) return;
    if (Object.hasOwn(holder.fields, key)) fix("repeated_key", position);
    holder.key = key;
    expected = "colon";
  };

  const readBareKey = (): PlainStatus | undefined => {
    const { position } = reader;
    BARE_KEY.lastIndex = position;
    if (!BARE_KEY.test(text)) return "stuck";
    const end = BARE_KEY.lastIndex;
    const next = text[view.skipGap(end)];
    if (next !== ":") return next === undefined ? "more" : "stuck";
    fix("unquoted_key", position);
    reader.position = end;
    return endKey(text.slice(position, end), position);
  };

  const readWord = (): PlainStatus | undefined => {
    const { position } = reader;
    WORD.lastIndex = position;
    const end = WORD.test(text) ? WORD.lastIndex : position;
    if (end === text.length && (!isEnd || stack.length > 0)) return "more";
    const raw = text.slice(position, end);
    const word = classifyWord(raw);
    if (word === undefined || !/^[\s,\]}/#`\p{Cf}]?$/u.test(text.charAt(end))) return "stuck";
    if (word.kind === "unquoted_string" && !DIGITS.test(raw)) return "stuck";
    if (word.kind !== undefined) fix(word.kind, position);
    const value = keepsDigits === true && typeof word.value === "number" ? raw : word.value;
    reader.position = end;
    add(value);
    return finish(value);
  };

  const readToken = (): PlainStatus | undefined => {
    if (reader.repairs.length > maxRepairs) return "stuck";
    if (string === undefined && !skipGaps()) return "more";
    const character = text.charAt(reader.position);
    const holder = stack.at(-1);
    const isKey = expected === "key" || expected === "firstKey";
    if (character === (holder?.items ? "]" : "}") && expected !== "colon" && holder !== undefined)
      return holder.items || isKey || expected === "after" ? close() : "stuck";
    if (expected === "after" || expected === "colon") {
      if (character !== (expected === "after" ? "," : ":")) return "stuck";
      expected = expected === "after" && holder?.items === undefined ? "key" : "value";
      reader.position += 1;
      return undefined;
    }
    if (isQuote(character)) return readString(isKey);
    if (isKey) return readBareKey();
    return character === "{" || character === "[" ? open(character === "[") : readWord();
  };

  const reader: PlainReader = {
    position: start,
    repairs: [],
    value: undefined,
    fenceAt: undefined,
    open: () => {
      const isValue = expected === "value" || expected === "firstValue";
      const place = path();
      return string !== undefined && isValue
        ? { path: place, start: string.from, end: string.at }
        : { path: place.slice(0, isValue ? undefined : -1), start: undefined, end: 0 };
    },
    read: (given, isWhole) => {
      text = given;
      isEnd = isWhole;
      view = createTextView(text);
      for (;;) {
        const status = readToken();
        if (status !== undefined) return status;
      }
    },
  };
  return reader;
}
