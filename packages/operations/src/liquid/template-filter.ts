import type { Context } from "liquidjs";
import type { ChatMessage, Clock, TokenCounter } from "@ccl/core";

import { textOfValue } from "./text-of-value.ts";
import { tokensOf } from "../operation/tokens-of.ts";
import { type MessageView, messageView, viewedMessage } from "./message-view.ts";

/** A template error whose message is safe to show, since it contains no values. */
export class TemplateError extends Error {}

/** Limits the work of a render. `use` charges for characters or items, and throws once they exceed the limit. */
export type WorkLimit = Context["memoryLimit"];

/** Cost of one item in a filter: about the time it takes to produce that many characters. */
const itemWork = 16;

/** Converts a number, or a string that contains one. Returns 0 for anything else. */
function numberOf(value: unknown): number {
  const read = typeof value === "string" && value.length < 64 ? Number(value) : value;
  return typeof read === "number" && !Number.isNaN(read) ? read : 0;
}

/** Converts a value to text for a template. Charges for it first. */
export function filterText(work: WorkLimit, value: unknown): string {
  const text = textOfValue(value);
  if (!text.ok) throw new TemplateError("A value is not JSON and cannot be printed");
  work.use(text.value.length);
  return text.value;
}

/** Maximum length of a search string. In the worst case a search costs the product of both lengths. */
const maxPatternChars = 1_024;

/** Converts an argument to a search string. */
export function patternOf(value: string): string {
  if (value.length <= maxPatternChars) return value;
  throw new TemplateError(
    `A search string has ${value.length} characters; at most ${maxPatternChars} are allowed`,
  );
}

// Comparisons that take about as long as writing one character.
const comparisonsPerUnit = 64;

/** Charges for searching a text for a pattern: up to one comparison for each pair of their characters. */
export function chargeSearch(work: WorkLimit, text: string, pattern: string): void {
  work.use(Math.ceil((text.length * pattern.length) / comparisonsPerUnit));
}

/** Returns the value to search for. Rejects a list or an object, since comparisons get slower as it grows. */
export function scalarOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  throw new TemplateError(
    "Lists and objects cannot be searched for; compare with a string, a number or a boolean",
  );
}

/** A filter. Receives the value before the bar, then its arguments. May throw a `TemplateError`. */
export type TemplateFilter = (
  work: WorkLimit,
  value: unknown,
  ...args: readonly unknown[]
) => unknown;

const maxIndent = 8;

/** Returns filters that the library lacks, that print in our format, or that compare values which may be lists. */
export function ownFilters(counter: TokenCounter): Readonly<Record<string, TemplateFilter>> {
  return {
    first: (_, value, count) =>
      count === undefined ? listOf(value)[0] : listOf(value).slice(0, wholeNumber(count)),
    last(_, value, count) {
      const list = listOf(value);
      return count === undefined ? list.at(-1) : list.slice(list.length - wholeNumber(count));
    },
    join(work, value, separator = " ") {
      const between = filterText(work, separator);
      const texts = itemsOf(work, value).map((item) => filterText(work, item));
      work.use(between.length * texts.length);
      return texts.join(between);
    },
    by_role: (work, value, ...roles) =>
      itemsOf(work, Array.isArray(value) ? value : []).filter((item) =>
        roles.includes(viewedMessage(item)?.role),
      ),
    tokens(work, value) {
      const messages = messagesOf(work, value);
      if (messages === undefined) return counter.count(filterText(work, value));
      return tokensOf(counter, messages);
    },
    json(work, value, indent = 0) {
      const isWrapped = typeof value === "string" || value === undefined || value === null;
      const text = filterText(work, isWrapped ? [value ?? null] : value);
      const json = isWrapped ? text.slice(1, -1) : text;
      if (indent === 0) return json;
      if (typeof indent !== "number" || !(indent > 0 && indent <= maxIndent))
        throw new TemplateError(`An indent is a number from 0 to ${maxIndent}`);
      return filterText(work, JSON.stringify(JSON.parse(json), undefined, indent));
    },
    /** Returns one line per message. For any other list, drops null items. */
    compact(work, value) {
      const messages = messagesOf(work, value);
      if (messages !== undefined)
        return messages.map((message) => lineOf(work, messageView(message))).join("\n");
      return itemsOf(work, value).filter((item) => item !== null && item !== undefined);
    },
  };
}

/** Returns a list as is. Converts nothing to an empty list, and any other value to a list of itself. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

/** Returns the items of a list, and charges for them. */
function itemsOf(work: WorkLimit, value: unknown): readonly unknown[] {
  const list = listOf(value);
  work.use(list.length * itemWork);
  return list;
}

function wholeNumber(value: unknown): number {
  return Math.max(0, Math.trunc(numberOf(value)));
}

/** Returns the messages behind a view or a list of views. Undefined if it contains anything else. */
function messagesOf(work: WorkLimit, value: unknown): ChatMessage[] | undefined {
  const items = itemsOf(work, value);
  const messages = items.flatMap((item) => viewedMessage(item) ?? []);
  return items.length > 0 && messages.length === items.length ? messages : undefined;
}

function lineOf(work: WorkLimit, { role, content, toolCalls = [] }: MessageView): string {
  const calls = toolCalls.map((call) => `[calls ${call.name}(${call.arguments})]`);
  const text = filterText(work, [content, ...calls].join(" "));
  return `${role}: ${text.replaceAll(/\s+/g, " ").trim()}`;
}

/** Converts the value or an argument of a library filter, and charges for it. `text` is the converted value. */
type Convert = (work: WorkLimit, value: unknown, text?: unknown) => unknown;

const textOrNumber: Convert = (work, value) =>
  typeof value === "number" ? value : filterText(work, value);

const searchPattern: Convert = (work, value, text) => {
  const pattern = patternOf(filterText(work, value));
  chargeSearch(work, String(text), pattern);
  return pattern;
};

const chargedList: Convert = (work, value) => {
  if (Array.isArray(value)) work.use(value.length * itemWork);
  return value;
};

const propertyName: Convert = (work, value) =>
  value === undefined ? undefined : patternOf(filterText(work, value));

const dateFormat: Convert = (work, value) =>
  typeof value === "number" ? value : patternOf(filterText(work, value));

/** The converters of a filter's value, its first argument and all others. Each defaults to the one before. */
type Converters = readonly [Convert, Convert?, Convert?];

/** Returns the library's filters with their converters. */
export function libraryFilters(clock: Clock): readonly (readonly [Converters, string])[] {
  const texts: Converters = [filterText, textOrNumber];
  // The strings `now` and `today` mean the time of the injected clock.
  const dateOf: Convert = (work, value) => {
    const text = textOrNumber(work, value);
    return text === "now" || text === "today" ? clock.now() / 1_000 : text;
  };
  const listOrText: Convert = (work, value) =>
    Array.isArray(value) ? chargedList(work, value) : filterText(work, value);
  return [
    [texts, "append prepend upcase downcase capitalize strip lstrip rstrip strip_newlines squish"],
    [texts, "normalize_whitespace number_of_words truncate truncatewords"],
    [texts, "escape escape_once newline_to_br strip_html url_encode slugify"],
    [
      [filterText, searchPattern, filterText],
      "remove remove_first remove_last replace replace_first replace_last split",
    ],
    [
      [(_, value) => numberOf(value)],
      "abs at_least at_most ceil divided_by floor minus plus modulo times round",
    ],
    [[chargedList], "concat default reverse size uniq"],
    [
      [chargedList, propertyName, (_, value) => scalarOf(value)],
      "find has map reject where sort sort_natural sum",
    ],
    [[listOrText, (_, value) => Math.trunc(numberOf(value))], "slice"],
    [[dateOf, dateFormat], "date"],
  ];
}
