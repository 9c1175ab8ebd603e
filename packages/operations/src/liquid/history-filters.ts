import { countMessages, type ChatMessage, type TokenCounter } from "@ccl/core";

import { filterText } from "./filter-text.ts";
import { listFilters } from "./list-filters.ts";
import { type MessageView, viewedMessage } from "./message-view.ts";
import {
  eachItem,
  type FilterMeter,
  TemplateError,
  type TemplateFilter,
} from "./template-filter.ts";

const maxIndent = 8;

/** Filters for `chatHistory`, which read other values too. */
export function historyFilters(counter: TokenCounter): Readonly<Record<string, TemplateFilter>> {
  return {
    by_role(meter, value, roles) {
      const found: unknown[] = [];
      eachItem(meter, Array.isArray(value) ? value : [], (item) => {
        const role = viewedMessage(item)?.role;
        if (role !== undefined && roles.includes(role)) found.push(item);
      });
      return found;
    },
    tokens(meter, value) {
      const messages = messagesOf(meter, value);
      if (messages === undefined) return counter.count(filterText(meter, value));
      meter.checkTime();
      return (
        counter.countMessages?.(messages) ?? countMessages((text) => counter.count(text), messages)
      );
    },
    json(meter, value, [indent = 0]) {
      const text = filterText(meter, typeof value === "string" ? [value] : (value ?? [null]));
      const isWrapped = typeof value === "string" || value === undefined || value === null;
      const json = isWrapped ? text.slice(1, -1) : text;
      if (indent === 0) return json;
      if (typeof indent !== "number" || !(indent > 0 && indent <= maxIndent)) {
        throw new TemplateError(`An indent is a number from 0 to ${maxIndent}`);
      }
      return filterText(meter, JSON.stringify(JSON.parse(json), undefined, indent));
    },
    /** One line a message; a list of anything else loses what is null. */
    compact(meter, value) {
      const messages = messagesOf(meter, value);
      if (messages === undefined) return listFilters["compact"]?.(meter, value, []);
      const lines: string[] = [];
      eachItem(meter, Array.isArray(value) ? value : [value], (item) =>
        lines.push(lineOf(meter, item)),
      );
      return lines.join("\n");
    },
  };
}

/** The messages behind a view or a list of views; undefined for what is not only that. */
function messagesOf(meter: FilterMeter, value: unknown): ChatMessage[] | undefined {
  const messages: ChatMessage[] = [];
  const items = Array.isArray(value) ? value : [value];
  eachItem(meter, items, (item) => {
    const message = viewedMessage(item);
    if (message !== undefined) messages.push(message);
  });
  return items.length > 0 && messages.length === items.length ? messages : undefined;
}

function lineOf(meter: FilterMeter, view: unknown): string {
  if (!isView(view)) return "";
  const { role, content, toolCalls = [] } = view;
  const calls = toolCalls.map((call) => `[calls ${call.name}(${call.arguments})]`);
  return `${role}: ${filterText(meter, [content, ...calls].join(" "))
    .replaceAll(/\s+/g, " ")
    .trim()}`;
}

function isView(value: unknown): value is MessageView {
  return viewedMessage(value) !== undefined;
}
