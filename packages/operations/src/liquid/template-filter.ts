import type { Context } from "liquidjs";
import type { ChatMessage, Clock, TokenCounter } from "@ccl/core";

import { textOfValue } from "./text-of-value.ts";
import { tokensOf } from "../operation/tokens-of.ts";
import { type MessageView, messageView, viewedMessage } from "./message-view.ts";

/** A template error whose message is safe to show, since it contains no values. */
export class TemplateError extends Error {}

/** Limits what a running filter consumes. Both methods throw once the render has exceeded its limit. */
export interface FilterMeter {
  /** Charges for characters or items before they are written or read. */
  charge(units: number): void;
  checkTime(): void;
}

/** Returns the meter of a render. */
export function meterOf(context: Context): FilterMeter {
  return {
    charge: (units) => context.memoryLimit.use(units),
    checkTime: () => context.renderLimit.check(performance.now()),
  };
}

/** Cost of one item in a filter: about the time it takes to produce that many characters. */
const itemWork = 16;

/** Converts a number, or a string that contains one. Returns 0 for anything else. */
function numberOf(value: unknown): number {
  const read = typeof value === "string" && value.length < 64 ? Number(value) : value;
  return typeof read === "number" && !Number.isNaN(read) ? read : 0;
}

/** Converts a value to text for a template. Charges the meter first. */
export function filterText(meter: FilterMeter, value: unknown): string {
  const text = textOfValue(value);
  if (!text.ok) throw new TemplateError("A value is not JSON and cannot be printed");
  meter.charge(text.value.length);
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
export function chargeSearch(meter: FilterMeter, text: string, pattern: string): void {
  meter.charge(Math.ceil((text.length * pattern.length) / comparisonsPerUnit));
}

/** Rejects a list or an object as the search value, since comparisons get slower as it grows. */
export function requireScalar(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  throw new TemplateError(
    "Lists and objects cannot be searched for; compare with a string, a number or a boolean",
  );
}

/** A filter. Receives the value before the bar, then its arguments. May throw a `TemplateError`. */
export type TemplateFilter = (
  meter: FilterMeter,
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
    join(meter, value, separator = " ") {
      const between = filterText(meter, separator);
      const texts = itemsOf(meter, value).map((item) => filterText(meter, item));
      meter.charge(between.length * texts.length);
      return texts.join(between);
    },
    by_role: (meter, value, ...roles) =>
      itemsOf(meter, Array.isArray(value) ? value : []).filter((item) =>
        roles.includes(viewedMessage(item)?.role),
      ),
    tokens(meter, value) {
      const messages = messagesOf(meter, value);
      if (messages === undefined) return counter.count(filterText(meter, value));
      return tokensOf(counter, messages);
    },
    json(meter, value, indent = 0) {
      const isWrapped = typeof value === "string" || value === undefined || value === null;
      const text = filterText(meter, isWrapped ? [value ?? null] : value);
      const json = isWrapped ? text.slice(1, -1) : text;
      if (indent === 0) return json;
      if (typeof indent !== "number" || !(indent > 0 && indent <= maxIndent))
        throw new TemplateError(`An indent is a number from 0 to ${maxIndent}`);
      return filterText(meter, JSON.stringify(JSON.parse(json), undefined, indent));
    },
    /** Returns one line per message. For any other list, drops null items. */
    compact(meter, value) {
      const messages = messagesOf(meter, value);
      if (messages !== undefined)
        return messages.map((message) => lineOf(meter, messageView(message))).join("\n");
      return itemsOf(meter, value).filter((item) => item !== null && item !== undefined);
    },
  };
}

/** Returns a list as is. Converts nothing to an empty list, and any other value to a list of itself. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

/** Returns the items of a list, and charges the meter for them. */
function itemsOf(meter: FilterMeter, value: unknown): readonly unknown[] {
  const list = listOf(value);
  meter.charge(list.length * itemWork);
  return list;
}

function wholeNumber(value: unknown): number {
  return Math.max(0, Math.trunc(numberOf(value)));
}

/** Returns the messages behind a view or a list of views. Undefined if it contains anything else. */
function messagesOf(meter: FilterMeter, value: unknown): ChatMessage[] | undefined {
  const items = itemsOf(meter, value);
  const messages = items.flatMap((item) => viewedMessage(item) ?? []);
  return items.length > 0 && messages.length === items.length ? messages : undefined;
}

function lineOf(meter: FilterMeter, { role, content, toolCalls = [] }: MessageView): string {
  const calls = toolCalls.map((call) => `[calls ${call.name}(${call.arguments})]`);
  const text = filterText(meter, [content, ...calls].join(" "));
  return `${role}: ${text.replaceAll(/\s+/g, " ").trim()}`;
}

/** Checks and charges for the value and arguments of a library filter before it runs. */
export type ArgumentGuard = (meter: FilterMeter, values: readonly unknown[]) => unknown[];

/** Converts everything except numbers to text. */
const asTexts: ArgumentGuard = (meter, [value, ...rest]) => [
  filterText(meter, value),
  ...rest.map((item) => (typeof item === "number" ? item : filterText(meter, item))),
];

/** Like `asTexts`, for a filter that searches the value for its first argument. */
const asSearch: ArgumentGuard = (meter, [value, given, ...rest]) => {
  const text = filterText(meter, value);
  const pattern = patternOf(filterText(meter, given));
  chargeSearch(meter, text, pattern);
  return [text, pattern, ...rest.map((item) => filterText(meter, item))];
};

const asNumbers: ArgumentGuard = (_, values) => values.map(numberOf);

const asLists: ArgumentGuard = (meter, values) => {
  for (const value of values) if (Array.isArray(value)) meter.charge(value.length * itemWork);
  return [...values];
};

/** Takes a list, perhaps a property name, and the value to compare with. */
const asQuery: ArgumentGuard = (meter, [list, property, ...expected]) => {
  for (const value of expected) requireScalar(value);
  const names = property === undefined ? [] : [patternOf(filterText(meter, property))];
  return [...asLists(meter, [list]), ...names, ...expected];
};

/** Takes a list or a string, and numbers. */
const asPart: ArgumentGuard = (meter, [value, ...rest]) => [
  ...(Array.isArray(value) ? asLists(meter, [value]) : [filterText(meter, value)]),
  ...rest.map((item) => Math.trunc(numberOf(item))),
];

/** Formats dates by the injected clock: the strings `now` and `today` mean its time. */
function asDate(clock: Clock): ArgumentGuard {
  return (meter, [value, ...rest]) => {
    const text = typeof value === "number" ? value : filterText(meter, value);
    const date = text === "now" || text === "today" ? clock.now() / 1_000 : text;
    return [
      date,
      ...rest.map((item) => (typeof item === "number" ? item : patternOf(filterText(meter, item)))),
    ];
  };
}

/** Returns the library's filters, each with the guard of its arguments. */
export function libraryFilters(clock: Clock): readonly (readonly [ArgumentGuard, string])[] {
  return [
    [
      asTexts,
      "append prepend upcase downcase capitalize strip lstrip rstrip strip_newlines squish",
    ],
    [asTexts, "normalize_whitespace number_of_words truncate truncatewords"],
    [asTexts, "escape escape_once newline_to_br strip_html url_encode slugify"],
    [asSearch, "remove remove_first remove_last replace replace_first replace_last split"],
    [asNumbers, "abs at_least at_most ceil divided_by floor minus plus modulo times round"],
    [asLists, "concat default reverse size uniq"],
    [asQuery, "find has map reject where sort sort_natural sum"],
    [asPart, "slice"],
    [asDate(clock), "date"],
  ];
}
