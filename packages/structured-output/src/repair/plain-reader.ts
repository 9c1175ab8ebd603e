import { decodeString } from "./decode-string.ts";
import { followsString } from "./follows-string.ts";
import { closes, isQuote } from "./marks.ts";
import type { ParseBudget } from "./parse-tolerant.ts";
import type { Repair, RepairKind } from "./repair.ts";
import { setField } from "./set-field.ts";
import { createTextView, foreignSpace, hidesString, type TextView } from "./text-view.ts";
import { classifyWord } from "./words.ts";

/**
 * `more`: the text ends before the value does. `stuck`: the next token has no meaning or several, and needs a search.
 */
export type PlainStatus = "more" | "complete" | "stuck";
type Path = (string | number)[];
type Expected = "value" | "firstValue" | "key" | "firstKey" | "colon" | "after";

interface Holder {
  items: unknown[] | undefined;
  fields: Record<string, unknown>;
  /** The key of the next value. */
  key: string;
  count: number;
}

/** Limits and callback of a pass. */
export interface PlainOptions extends ParseBudget {
  /** Called with each complete value, inner values first, and with a number as written. */
  onValue?: ((path: Path, value: unknown, digits?: string) => void) | undefined;
}

const BARE_KEY = /[\p{L}\p{N}_$][\p{L}\p{N}_$-]{0,63}/uy;
const WORD = /[\p{L}\p{N}_.+-]{1,64}/uy;
const DIGITS = /^[+-]?\d[\d.]*(?:[eE][+-]?\d+)?$/;

/**
 * Reads a value as long as each character can mean only one thing. Accepts JSON, other quotes, unquoted keys, comments,
 * trailing commas and other languages' literals. Takes linear time and skips no text.
 */
export class PlainReader {
  position: number;
  readonly repairs: Repair[] = [];
  /** The value so far. */
  value: unknown;
  /** Offset of a line in a string that looks like a closing code fence. */
  fenceAt: number | undefined;
  isTooDeep = false;
  /** Number of tokens read. */
  steps = 0;
  readonly #options: PlainOptions;
  readonly #stack: Holder[] = [];
  #view: TextView = createTextView("");
  #isEnd = false;
  #expected: Expected = "value";
  #string: { from: number; at: number } | undefined;

  constructor(start: number, options: PlainOptions) {
    this.position = start;
    this.#options = options;
  }

  /** Continues with text that starts with the previous text. `isEnd`: the text is complete. */
  read(text: string, isEnd: boolean): PlainStatus {
    this.#view = createTextView(text);
    this.#isEnd = isEnd;
    for (;;) {
      this.steps += 1;
      const status = this.#readToken(text);
      if (status !== undefined) return status;
    }
  }

  /** Returns the path of the innermost incomplete value. If it is a string, also the range of its content so far. */
  open(): { path: Path; start: number | undefined; end: number } {
    const isValue = this.#expected === "value" || this.#expected === "firstValue";
    const path = this.#path();
    return this.#string !== undefined && isValue
      ? { path, start: this.#string.from, end: this.#string.at }
      : { path: path.slice(0, isValue ? undefined : -1), start: undefined, end: 0 };
  }

  #readToken(text: string): PlainStatus | undefined {
    if (this.repairs.length > this.#options.maxRepairs) return "stuck";
    const status = this.#string === undefined ? this.#skipGaps(text) : undefined;
    if (status !== undefined) return status;
    const character = text.charAt(this.position);
    const holder = this.#stack.at(-1);
    const expected = this.#expected;
    const isKey = expected === "key" || expected === "firstKey";
    if (holder !== undefined && character === (holder.items ? "]" : "}") && expected !== "colon")
      return holder.items || isKey || expected === "after" ? this.#close() : "stuck";
    if (expected === "after" || expected === "colon") {
      if (character !== (expected === "after" ? "," : ":")) return "stuck";
      this.#expected = expected === "after" && holder?.items === undefined ? "key" : "value";
      this.position += 1;
      return undefined;
    }
    if (isQuote(character)) return this.#readString(text, isKey);
    if (isKey) return this.#readBareKey(text);
    return character === "{" || character === "["
      ? this.#open(character === "[")
      : this.#readWord(text);
  }

  #skipGaps(text: string): PlainStatus | undefined {
    for (;;) {
      const end = this.#view.skipSpace(this.position);
      const foreign = foreignSpace(text, this.position, end);
      if (foreign >= 0) this.#fix("whitespace", foreign);
      this.position = end;
      if (!this.#isEnd && "/`".includes(text.charAt(end)) && text.length - end < 3) return "more";
      const commentEnd = this.#view.skipComment(end);
      if (commentEnd === end)
        return end < text.length && !text.startsWith("```", end) ? undefined : "more";
      if (commentEnd === text.length) return "more";
      if (hidesString(text, end, commentEnd)) return "stuck";
      this.#fix("comment", end);
      this.position = commentEnd;
    }
  }

  #open(isList: boolean): PlainStatus | undefined {
    this.isTooDeep = this.#stack.length >= this.#options.maxDepth;
    if (this.isTooDeep) return "stuck";
    const holder: Holder = { items: isList ? [] : undefined, fields: {}, key: "", count: 0 };
    this.#add(holder.items ?? holder.fields);
    this.#stack.push(holder);
    this.#expected = isList ? "firstValue" : "firstKey";
    this.position += 1;
    return undefined;
  }

  #close(): PlainStatus | undefined {
    if (this.#expected === "value" || this.#expected === "key")
      this.#fix("extra_comma", this.position);
    this.position += 1;
    const holder = this.#stack.pop();
    return this.#finish(holder?.items ?? holder?.fields);
  }

  #readString(text: string, isKey: boolean): PlainStatus | undefined {
    const mark = text.charAt(this.position);
    const string = (this.#string ??= { from: this.position + 1, at: this.position + 1 });
    let { at } = string;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 0x5c) {
        if (at + 1 === text.length) break;
        at += 1;
        continue;
      }
      if (code === 0x0a && text.startsWith("\n```", at)) this.fenceAt ??= at;
      if (code !== 0x22 && code !== 0x27 && code !== 0x60 && code < 0xa0) continue;
      const fit = closes(mark, text.charAt(at));
      if (fit === undefined) continue;
      const follows = fit === "pair" && this.#isFollowed(text, at + 1, isKey);
      if (follows === undefined) break;
      return follows ? this.#endString(text, at, isKey) : "stuck";
    }
    string.at = at;
    return "more";
  }

  #isFollowed(text: string, from: number, isKey: boolean): boolean | undefined {
    const holder = this.#stack.at(-1);
    if (holder !== undefined)
      return followsString(this.#view, from, isKey ? "key" : holder.items ? "array" : "object");
    return this.#isEnd ? /^\s*(?:```|$)/.test(text.slice(from, from + 64)) : undefined;
  }

  #endString(text: string, end: number, isKey: boolean): PlainStatus | undefined {
    const from = this.position + 1;
    const mark = text.charAt(this.position);
    this.#string = undefined;
    if (mark !== '"') this.#fix("quote_style", this.position);
    const raw = text.slice(from, end);
    const decoded = decodeString(raw, { mark, offset: from, repairs: this.repairs });
    if (decoded === undefined) return "stuck";
    this.position = end + 1;
    if (isKey) return this.#endKey(decoded, from);
    this.#add(decoded);
    return this.#finish(decoded);
  }

  #readBareKey(text: string): PlainStatus | undefined {
    const { position } = this;
    BARE_KEY.lastIndex = position;
    if (!BARE_KEY.test(text)) return "stuck";
    const end = BARE_KEY.lastIndex;
    const next = text[this.#view.skipGap(end)];
    if (next !== ":") return next === undefined ? "more" : "stuck";
    this.#fix("unquoted_key", position);
    this.position = end;
    return this.#endKey(text.slice(position, end), position);
  }

  #endKey(key: string, position: number): PlainStatus | undefined {
    const holder = this.#stack.at(-1);
    if (holder === undefined) return undefined;
    const isRepeated = Object.hasOwn(holder.fields, key);
    // A value that was passed to `onValue` can no longer change.
    if (isRepeated && this.#options.onValue !== undefined) return "stuck";
    if (isRepeated) this.#fix("repeated_key", position);
    holder.key = key;
    this.#expected = "colon";
    return undefined;
  }

  #readWord(text: string): PlainStatus | undefined {
    const { position } = this;
    WORD.lastIndex = position;
    const end = WORD.test(text) ? WORD.lastIndex : position;
    if (end === text.length && (!this.#isEnd || this.#stack.length > 0)) return "more";
    const raw = text.slice(position, end);
    const word = classifyWord(raw);
    if (word === undefined || !/^[\s,\]}/#`\p{Cf}]?$/u.test(text.charAt(end))) return "stuck";
    if (word.kind === "unquoted_string" && !DIGITS.test(raw)) return "stuck";
    if (word.kind !== undefined) this.#fix(word.kind, position);
    const keepsDigits = this.#options.keepsDigits === true && typeof word.value === "number";
    const value = keepsDigits ? raw : word.value;
    this.position = end;
    this.#add(value);
    return this.#finish(value, typeof word.value === "number" ? raw : undefined);
  }

  #add(value: unknown): void {
    const holder = this.#stack.at(-1);
    if (holder === undefined) this.value = value;
    else if (holder.items) holder.items[holder.count] = value;
    else setField(holder.fields, holder.key, value);
  }

  #finish(value: unknown, digits?: string): PlainStatus | undefined {
    this.#expected = "after";
    if (this.#options.onValue !== undefined) this.#options.onValue(this.#path(), value, digits);
    const holder = this.#stack.at(-1);
    if (holder === undefined) return "complete";
    holder.count += 1;
    return undefined;
  }

  #path(): Path {
    return this.#stack.map(({ items, key, count }) => (items ? count : key));
  }

  #fix(kind: RepairKind, position: number): void {
    this.repairs.push({ kind, position });
  }
}
