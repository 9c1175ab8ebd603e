import type { MediaPart, Part, ReasoningPart } from "@ccl/core";
import {
  isRecord,
  type JsonRecord,
  parseDataUrl,
  stringAt,
  withoutUndefined,
} from "@ccl/core/json";

import type { Losses } from "../losses.ts";
import {
  dataUrlOf,
  fieldsFor,
  joinFields,
  type PartReaders,
  readPart,
  textReader,
  unlessEmpty,
} from "../wire-fields.ts";
import { responses } from "./responses-format.ts";

const readers: PartReaders = {
  input_text: textReader("text"),
  input_image: (wire) => {
    const url = stringAt(wire, "image_url");
    if (url === undefined) return undefined;
    const content = parseDataUrl(url) ?? { mimeType: "image/*", url };
    // `auto` is the default, so it need not be recorded.
    const known = ["type", "image_url", ...(wire["detail"] === "auto" ? ["detail"] : [])];
    return { part: { type: "image", ...content }, known };
  },
  input_file: (wire) => {
    const inline = stringAt(wire, "file_data");
    const url = stringAt(wire, "file_url");
    const named = { filename: stringAt(wire, "filename") };
    const content =
      inline !== undefined
        ? parseDataUrl(inline)
        : url !== undefined
          ? { mimeType: "application/octet-stream", url }
          : undefined;
    if (content === undefined) return undefined;
    const known = ["type", "file_data", "file_url", "filename"];
    return { part: { type: "file", ...content, ...named }, known };
  },
};

/** Converts an input part. Parts without a counterpart, for example files given by id, become opaque. */
export function fromInputPart(wire: unknown): Part {
  return readPart(responses, wire, readers);
}

/** Converts a part to an input part. */
export function toInputPart(part: Part, losses: Losses): unknown {
  if (part.type === "provider" && part.provider === responses) return part.raw;
  if (part.type === "text") return joinFields(inputText(part.text), fieldsFor(responses, part));
  if (part.type === "image" || part.type === "file") {
    const written = toMedia(part);
    if (written !== undefined) return joinFields(written, fieldsFor(responses, part));
  }
  const mark = losses.mark(part);
  return mark === "" ? undefined : inputText(mark);
}

function toMedia(part: MediaPart): JsonRecord | undefined {
  const { type, url, filename } = part;
  const inline = dataUrlOf(part);
  const address = inline ?? url;
  if (address === undefined) return undefined;
  if (type === "image") {
    const detail = fieldsFor(responses, part)["detail"] ?? "auto";
    return { type: "input_image", image_url: address, detail };
  }
  const named = filename === undefined && inline !== undefined ? "file" : filename;
  return withoutUndefined({
    type: "input_file",
    filename: named,
    file_url: inline === undefined ? address : undefined,
    file_data: inline,
  });
}

function inputText(text: string): JsonRecord {
  return { type: "input_text", text };
}

/** Converts a reasoning item to one part per text. The first part holds the item's own fields. */
export function fromReasoning(wire: JsonRecord): ReasoningPart[] | undefined {
  const { type: _, summary, content, ...item } = wire;
  const lists = [summary ?? [], content ?? []];
  const texts = lists.flatMap((list, at) =>
    Array.isArray(list)
      ? list.map((entry): ReasoningPart => {
          const { text, type: _type, ...fields } = isRecord(entry) ? entry : {};
          const place = at === 0 ? {} : { in: "content" };
          return reasoning(String(text ?? ""), { ...place, ...fields });
        })
      : [],
  );
  const [first = reasoning("", {}), ...others] = texts;
  const own = fieldsFor(responses, first);
  return [reasoning(first.text, { item, ...own }), ...others];
}

function reasoning(text: string, fields: JsonRecord): ReasoningPart {
  return { type: "reasoning", text, providerMetadata: { [responses]: fields } };
}

/** Converts the parts of one item back to a reasoning item. */
export function toReasoning(parts: readonly ReasoningPart[]): JsonRecord {
  const [first] = parts;
  const { item } = first === undefined ? {} : fieldsFor(responses, first);
  const listed = parts.filter(({ text }) => text !== "");
  const entries = (place: string, type: string): JsonRecord[] =>
    listed.flatMap((part) => {
      const { in: at = "summary", item: _, ...fields } = fieldsFor(responses, part);
      return at === place ? [joinFields({ type, text: part.text }, fields)] : [];
    });
  const { id, ...rest } = isRecord(item) ? item : {};
  return withoutUndefined({
    type: "reasoning",
    id,
    summary: entries("summary", "summary_text"),
    content: unlessEmpty(entries("content", "reasoning_text")),
    ...rest,
  });
}
