import { canonicalJson, type ChatMessage, countMessages, estimatedCounter } from "@ccl/core";
import { modelMessageSchema } from "ai";
import { modelMessageSchema as schema5 } from "ai-v5";
import { modelMessageSchema as schema7 } from "ai-v7";
import { createBpeCounter } from "@ccl/core/bpe";
import { isRecord } from "@ccl/core/json";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";

import { aiSdk, anthropic, chat, responses, user } from "../../test-support/golden-shapes.ts";
import { fromAiSdkMessages, toAiSdkMessages } from "./ai-sdk/index.ts";
import { fromAnthropicMessages, toAnthropicMessages } from "./anthropic/index.ts";
import type { LossOptions, WireLoss } from "./losses.ts";
import { fromOpenAiMessages, toOpenAiMessages } from "./openai-chat/index.ts";
import { fromResponsesItems } from "./openai-responses/index.ts";
import { toResponsesItems } from "./openai-responses/to-responses-items.ts";

interface Wire {
  shapes: Record<string, object[]>;
  from: (messages: object[]) => ChatMessage[];
  to: (messages: ChatMessage[], options?: LossOptions) => unknown;
}

const wires: Record<string, Wire> = {
  "openai-chat": { shapes: chat, from: fromOpenAiMessages, to: toOpenAiMessages },
  anthropic: {
    shapes: anthropic,
    from: (messages) => fromAnthropicMessages({ messages }),
    to: (messages, options) => toAnthropicMessages(messages, options).messages,
  },
  "openai-responses": { shapes: responses, from: fromResponsesItems, to: toResponsesItems },
  "ai-sdk": { shapes: aiSdk, from: fromAiSdkMessages, to: toAiSdkMessages },
};

const rows = Object.entries(wires).flatMap(([name, { shapes }]) =>
  Object.entries(shapes).map(([shape, wire]): [string, string, object[]] => [name, shape, wire]),
);

/** As JSON gives messages back, or a store that sorts their keys; the bytes in parts are another matter. */
const parsed = (messages: ChatMessage[], write: (value: unknown) => string): ChatMessage[] =>
  messages.map((message) => {
    const { content, ...rest } = message;
    const kept = typeof content === "string" || content.every((part) => !("data" in part));
    const plain: unknown = JSON.parse(JSON.stringify({ ...rest, content: kept ? content : "" }));
    const read: ChatMessage = JSON.parse(write(plain));
    return kept ? read : { ...read, content };
  });

const schemas = { v2: schema5, v3: modelMessageSchema, v4: schema7 };

/** What each version of the AI SDK makes of the messages that are written for it. */
const refusedByAiSdk = (messages: ChatMessage[]): unknown[] =>
  Object.entries(schemas).flatMap(([version, schema]) =>
    toAiSdkMessages(messages, { version }).flatMap((message) => {
      const { success } = schema.safeParse(message);
      return success ? [] : [{ version, message }];
    }),
  );

/** What the APIs refuse. */
const holdsEmptyTurn = (sent: unknown): boolean => JSON.stringify(sent).includes('"content":[]');

it("holds at least 60 shapes", () => {
  expect(rows.length).toBeGreaterThanOrEqual(60);
});

describe.each(rows)("%s: %s", (name, _shape, wire) => {
  const own = wires[name];
  const before = JSON.stringify(wire);
  const messages = own?.from(wire) ?? [];

  it("comes back as the same JSON, and leaves what it was given alone", () => {
    const lost: WireLoss[] = [];
    const back = own?.to(messages, { report: (loss) => lost.push(loss) });
    expect(JSON.stringify(back)).toBe(before);
    expect(JSON.stringify(own?.to(parsed(messages, JSON.stringify)))).toBe(before);
    expect(own?.to(parsed(messages, canonicalJson))).toEqual(JSON.parse(before));
    expect(JSON.stringify(wire)).toBe(before);
    expect(lost).toEqual([]);
  });

  it("goes to every other format without an error, and each part left out is reported", () => {
    expect(name === "ai-sdk" ? [] : refusedByAiSdk(messages)).toEqual([]);
    for (const [other, { to }] of Object.entries(wires)) {
      if (other === name) continue;
      const lost: WireLoss[] = [];
      const sent = to(messages, { report: (loss) => lost.push(loss) });
      expect(holdsEmptyTurn(sent)).toBe(false);
      const isOpaque = ({ content }: ChatMessage): number =>
        typeof content === "string" ? 0 : content.filter(({ type }) => type === "provider").length;
      const opaque = messages.reduce((total, message) => total + isOpaque(message), 0);
      expect(lost.filter(({ type }) => type === "provider")).toHaveLength(opaque);
    }
  });
});

/** Strings of a request that say something; names of kinds cost next to nothing. */
const charactersIn = (value: unknown): number => {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  const kinds = new Set([
    "type",
    "role",
    "media_type",
    "mediaType",
    "format",
    "toolName",
    "detail",
  ]);
  return Object.entries(value)
    .filter(([key]) => !kinds.has(key))
    .reduce((total, [, member]) => total + charactersIn(member), 0);
};

it.each(rows)("%s: %s is counted in full", (name, _shape, wire) => {
  const counted = countMessages((text) => text.length, wires[name]?.from(wire) ?? []);
  expect(counted).toBeGreaterThanOrEqual(charactersIn(wire));
});

it.each(rows)("%s: %s is written anew where it was changed", (name, _shape, wire) => {
  const changed = (wires[name]?.from(wire) ?? []).map((message): ChatMessage => {
    const { content } = message;
    if (typeof content === "string") return { ...message, content: `${content} CHANGED` };
    return { ...message, content: [...content, { type: "text", text: "CHANGED" }] };
  });
  const sent = JSON.stringify(wires[name]?.to(changed));
  expect(sent.split("CHANGED").length - 1).toBe(changed.length);
});

it("counts what a model thought in ten turns of 3,000 tokens", () => {
  const thought = "think ".repeat(3_000);
  const turns = Array.from({ length: 10 }, () => [
    user,
    { role: "assistant", content: "Yes", reasoning_content: thought },
  ]);
  const counted = estimatedCounter.countMessages?.(fromOpenAiMessages(turns.flat())) ?? 0;
  expect(counted).toBeGreaterThan(10 * estimatedCounter.count(thought));
});

type Change = [node: number, kind: "add" | "turn" | "remove" | "replace" | "repeat", value: string];

/** Another request of the same kind: members added, removed, replaced and in another order, items repeated. */
const changedShape = (wire: object[], changes: Change[]): object[] => {
  const copy: object[] = JSON.parse(JSON.stringify(wire));
  for (const [node, kind, value] of changes) {
    const nodes: object[] = [];
    const collect = (item: unknown): void => {
      if (typeof item !== "object" || item === null) return;
      nodes.push(item);
      Object.values(item).forEach(collect);
    };
    copy.forEach(collect);
    const target = nodes[node % nodes.length] ?? {};
    const [[key = "", member] = [], ...others] = Object.entries(target);
    if (Array.isArray(target)) {
      if (kind === "repeat" || kind === "add") target.push(...target.slice(0, 1));
      if (kind === "remove") target.shift();
      if (kind === "turn") target.reverse();
      continue;
    }
    for (const name of Object.keys(target)) Reflect.deleteProperty(target, name);
    const kept: [string, unknown][] = kind === "remove" ? [] : [[key, member]];
    const isRole = key === "role";
    if (kind === "replace" && !isRole) kept[0] = [key, JSON.parse(value)];
    const ordered = kind === "turn" ? [...others, ...kept] : [...kept, ...others];
    const added: [string, unknown][] = kind === "add" ? [["x_unknown", JSON.parse(value)]] : [];
    Object.assign(target, Object.fromEntries([...ordered, ...added]));
  }
  return copy;
};

const change = fc.tuple(
  fc.nat(200),
  fc.constantFrom<Change[1]>("add", "turn", "remove", "replace", "repeat"),
  fc.constantFrom('""', "null", "[]", "{}", '"x"', "7", '[{"type":"text","text":"t"}]'),
);

it.each(Object.entries(wires))("%s gives back whatever a client sends", (name, { shapes }) => {
  const shape = fc.constantFrom(...Object.values(shapes));
  const request = fc
    .tuple(fc.array(shape, { minLength: 1, maxLength: 3 }), fc.array(change, { maxLength: 6 }))
    .map(([parts, changes]) => changedShape(parts.flat(), changes));
  fc.assert(
    fc.property(request, (wire) => {
      const messages = wires[name]?.from(wire) ?? [];
      expect(JSON.stringify(wires[name]?.to(messages))).toBe(JSON.stringify(wire));
      for (const { to } of Object.values(wires)) expect(holdsEmpty(to, messages, name)).toBe(false);
    }),
  );
});

/** True where a format other than their own gets an empty turn. */
const holdsEmpty = (to: Wire["to"], messages: ChatMessage[], own: string): boolean =>
  to !== wires[own]?.to && holdsEmptyTurn(to(messages));

const kinds =
  /^(?:type|role|mime_?type|media_?type|format|toolName|detail|data|.*url|image|.*data|source|kind)$/i;
const filler = " The quick brown fox jumps over the lazy dog.".repeat(20);

/** The shape with each text of it made long, so that the frame of the JSON weighs little. */
const inflated = (value: unknown, key = ""): unknown => {
  if (typeof value === "string") return kinds.test(key) ? value : value + filler;
  if (Array.isArray(value)) return value.map((item) => inflated(item, key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, inflated(item, name)]),
  );
};

describe("the tokens of a conversation", () => {
  interface Sizes {
    shape: string;
    /** Without the flat rates of messages and media. */
    counted: number;
    flat: number;
    texts: number;
    sent: number;
  }
  const sizes: Sizes[] = [];
  const textOf = ({ content }: ChatMessage): string =>
    typeof content === "string"
      ? content
      : content.map((part) => (part.type === "text" ? part.text : "")).join("");

  beforeAll(async () => {
    const counter = await createBpeCounter("o200k_base");
    for (const [name, shape, wire] of rows) {
      const long = [inflated(wire)].flat().filter((item) => isRecord(item));
      const messages = wires[name]?.from(long) ?? [];
      const flat = countMessages(() => 0, messages);
      sizes.push({
        shape: `${name}: ${shape}`,
        counted: countMessages((text) => counter.count(text), messages) - flat,
        flat,
        texts: counter.count(messages.map(textOf).join("")),
        sent: counter.count(JSON.stringify(wires[name]?.to(messages))),
      });
    }
  });

  const frame = 12;
  const short = (key: "counted" | "texts"): Sizes[] =>
    sizes.filter((size) => size[key] + size.flat < 0.9 * size.sent - frame);
  const share = (key: "counted" | "texts"): number =>
    sizes.reduce((sum, size) => sum + size[key], 0) /
    sizes.reduce((sum, { sent }) => sum + sent, 0);

  it("are those of the JSON that is sent, within a tenth", () => {
    expect(short("counted")).toEqual([]);
    expect(share("counted")).toBeGreaterThan(0.95);
    expect(share("counted")).toBeLessThan(1.05);
    // What was said in words of another field, such as a refusal, is counted with that field too.
    const long = sizes.filter(({ counted, sent }) => counted > 1.05 * sent + frame);
    expect(long.map(({ shape }) => shape)).toEqual([
      "openai-chat: a call that is none",
      "openai-chat: refusal",
      "ai-sdk: denied",
    ]);
  });

  it("are far from what texts alone would say", () => {
    expect(short("texts").length).toBeGreaterThan(rows.length / 3);
    expect(share("texts")).toBeLessThan(0.6);
  });
});
