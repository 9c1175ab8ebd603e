import type { ChatMessage, TokenCounter } from "@ccl/core";

import { tokensOf } from "../operation/tokens-of.ts";
import { type MessageView, messageView, viewedMessage } from "./message-view.ts";
import {
  type FilterMeter,
  filterText,
  itemWork,
  numberOf,
  TemplateError,
} from "./template-filter.ts";

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
