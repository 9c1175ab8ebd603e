import { arrayAt, isRecord, type JsonRecord, numberAt, recordAt, stringAt } from "@ccl/core/json";
import type { StreamReader } from "../http/create-wire-model.ts";
import type { TextDelta } from "../http/whole-deltas.ts";
import { callFields } from "../wire/openai-responses/from-responses-items.ts";
import { entryOf } from "../wire/wire-fields.ts";

const ends = new Set(["response.completed", "response.incomplete", "response.done"]);
const step = /^response\.(\w+)\.(added|delta|done)$/;
/** Maps each kind of piece to the field that it completes, in a message part or a call. */
const pieceFields: Record<string, string | undefined> = {
  output_text: "text",
  refusal: "refusal",
  reasoning_summary_text: "reasoning",
  reasoning_text: "reasoning",
  function_call_arguments: "arguments",
  custom_tool_call_input: "input",
};

/**
 * Assembles the events of one response. The last event repeats the items, but some servers omit some items or the
 * arguments of calls. Other servers do not finish each item, give two calls the same index, or send text only as a
 * whole.
 */
export function createResponsesReader(): StreamReader {
  const items = new GrowingItems();
  let last: JsonRecord | undefined;
  return {
    push(event) {
      const type = stringAt(event, "type") ?? "";
      if (ends.has(type)) last = recordAt(event, "response");
      const [, kind = "", ending] = step.exec(type) ?? [];
      const isPart = kind === "content_part";
      const isWhole = isPart || ending === "done";
      const item = recordAt(event, "item");
      const part = recordAt(event, "part");
      // Adds a call when it starts, since the event that finishes it may be missing.
      if (kind === "output_item") return isWhole || isCall(item) ? items.join(event, item) : [];
      const field = entryOf(pieceFields, isPart ? part["type"] : kind) ?? "";
      const text = stringAt(isPart ? part : event, isWhole ? field : "delta") ?? "";
      if (field === "reasoning") return isWhole ? [] : [{ type: field, text }];
      if (field === "text" || field === "refusal")
        return [items.addText(event, { ...part, [field]: text }, isWhole)];
      if (field !== "") items.extendCall(event, field, text, isWhole);
      return [];
    },
    isEnded: () => last !== undefined,
    toBody: () => last && { ...last, output: items.completed(arrayAt(last, "output")) },
  };
}

/** The response items received so far. */
class GrowingItems {
  readonly #items: { index: number; item: JsonRecord }[] = [];

  /** Merges an item into what its pieces have already added. Returns the new text. */
  join(event: JsonRecord, item: JsonRecord): TextDelta[] {
    const { type, id } = item;
    if (type === "message") {
      const parts = arrayAt(item, "content").filter(isRecord);
      return parts.map((part, at) =>
        this.addText({ ...event, item_id: id, content_index: at }, part, true),
      );
    }
    const known = this.#at(event, item);
    const field = entryOf(callFields, type);
    const before = known[field ?? ""];
    Object.assign(known, item);
    if (field !== undefined) known[field] ||= before;
    return [];
  }

  /** Adds a piece to a message part, or completes the part. Returns the new text. */
  addText(event: JsonRecord, given: JsonRecord, isWhole: boolean): TextDelta {
    const message = this.#at(event, { type: "message", role: "assistant", content: [] });
    const parts = arrayAt(message, "content");
    const at = numberAt(event, "content_index") ?? 0;
    const field = "refusal" in given ? "refusal" : "text";
    const before = stringAt(parts[at], field) ?? "";
    const text = grown(before, stringAt(given, field) ?? "", isWhole);
    parts[at] = { type: field === "text" ? "output_text" : field, ...given, [field]: text };
    return { type: "text", text: text.startsWith(before) ? text.slice(before.length) : "" };
  }

  /** Adds a piece to the call that the event identifies by id or index. Without an index, uses the last call. */
  extendCall(event: JsonRecord, field: string, text: string, isWhole: boolean): void {
    const id = stringAt(event, "item_id") ?? stringAt(event, "call_id");
    const index = numberAt(event, "output_index");
    const calls = this.#items.filter(({ item }) => isCall(item));
    const named = calls.findLast(
      ({ item }) => id !== undefined && (item["id"] === id || item["call_id"] === id),
    );
    const placed = calls.findLast((call) => index === undefined || call.index === index);
    const call = (named ?? placed)?.item;
    if (call !== undefined) call[field] = grown(stringAt(call, field) ?? "", text, isWhole);
  }

  /** Returns the items of the last event, plus any that it omits. */
  completed(last: readonly unknown[]): JsonRecord[] {
    const own = this.#items
      .toSorted((left, right) => left.index - right.index)
      .map(({ item }) => item);
    const repeated = last.filter(isRecord).map((item) => {
      const field = entryOf(callFields, item["type"]);
      const known = own.find((one) => isSame(one, item));
      return field === undefined || item[field] ? item : { ...item, [field]: known?.[field] };
    });
    return [...repeated, ...own.filter((item) => !repeated.some((one) => isSame(one, item)))];
  }

  /** Returns the item that the event belongs to. Starts it as a copy of `item`. */
  #at(event: JsonRecord, item: JsonRecord): JsonRecord {
    const index = numberAt(event, "output_index");
    const same = this.#items.filter((one) => isSame(one.item, item));
    const isHere = (place: number): boolean => index === undefined || place === index;
    const known = isCall(item) ? same.at(-1) : same.findLast((one) => isHere(one.index));
    if (known !== undefined) return known.item;
    const begun = { ...item };
    this.#items.push({ index: index ?? this.#items.length, item: begun });
    return begun;
  }
}

function isCall({ type }: JsonRecord): boolean {
  return entryOf(callFields, type) !== undefined;
}

/** Returns true for two forms of one call, or other items of the same type. */
function isSame(left: JsonRecord, right: JsonRecord): boolean {
  const isId = (left["call_id"] ?? left["id"]) === (right["call_id"] ?? right["id"]);
  return left["type"] === right["type"] && (isId || !isCall(left));
}

/** Appends the next piece to a text, or returns the whole text. Some servers finish with an empty text. */
function grown(before: string, text: string, isWhole: boolean): string {
  return isWhole ? text || before : before + text;
}
