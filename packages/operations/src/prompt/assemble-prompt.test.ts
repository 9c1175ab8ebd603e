import type { ChatMessage, TokenCounter } from "@ccl/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { PromptEffect } from "../effects/operation-effect.ts";
import { assemblePrompt } from "./assemble-prompt.ts";
import type { AssembledPrompt, AssemblePromptOptions, EffectInput } from "./assembled-prompt.ts";

/** One token a character, framing as core counts it. */
const characterCounter: TokenCounter = {
  name: "characters",
  isExact: true,
  count: (text) => text.length,
};

const system: ChatMessage = { id: "s", role: "system", content: "SYSTEM" };
const user = (id: string): ChatMessage => ({ id, role: "user", content: id });
const assistant = (id: string): ChatMessage => ({ id, role: "assistant", content: id });
const call = (id: string, ...calls: string[]): ChatMessage => ({
  id,
  role: "assistant",
  content: id,
  toolCalls: calls.map((name) => ({ id: name, name: "t", arguments: "{}" })),
});
const result = (id: string, toolCallId: string): ChatMessage => ({
  id,
  role: "tool",
  content: id,
  toolCallId,
});
const base = [system, user("u1"), assistant("a1"), user("u2")];

function assembled(options: Partial<AssemblePromptOptions>): AssembledPrompt {
  const prompt = assemblePrompt({ base, inclusions: [], effects: [], ...options });
  if (!prompt.ok)
    throw new Error(prompt.issues.map(({ code, message }) => `${code}: ${message}`).join());
  return prompt.value;
}

function issuesOf(options: Partial<AssemblePromptOptions>): string[] {
  const prompt = assemblePrompt({ base, inclusions: [], effects: [], ...options });
  return prompt.ok ? [] : prompt.issues.map(({ code, path }) => [code, ...path].join(" "));
}

/** The contents in order, those of system messages marked. */
function shape({ messages }: AssembledPrompt): string {
  return messages
    .map(({ role, content }) => (role === "system" ? `<${String(content)}>` : String(content)))
    .join(" ");
}

function effects(...given: PromptEffect[]): EffectInput[] {
  return given.map((effect, index) => ({ operationId: `op${index}`, effect }));
}

const after = (content: string): PromptEffect => ({
  type: "prompt.append_after_last_user",
  role: "user",
  content,
});
const at = (depthFromEnd: number, content: string): PromptEffect => ({
  type: "prompt.insert_at_depth",
  depthFromEnd,
  role: "user",
  content,
});
const insert = (
  anchor: Extract<PromptEffect, { type: "prompt.insert" }>["anchor"],
  place: "before" | "after" | "replace",
  content: string,
  onAnchorTrimmed?: "boundary" | "drop" | "fail",
): PromptEffect => ({
  type: "prompt.insert",
  anchor,
  place,
  role: "user",
  content,
  onAnchorTrimmed,
});
const update = (
  mode: "prepend" | "append" | "replace",
  content: string,
  separator?: string,
): PromptEffect => ({
  type: "prompt.system_update",
  mode,
  content,
  separator,
});

describe("assemblePrompt", () => {
  it.each<[string, PromptEffect[], string]>([
    ["gives the base where nothing is added", [], "<SYSTEM> u1 a1 u2"],
    [
      "appends behind the last user message in commit order",
      [after("x"), after("y")],
      "<SYSTEM> u1 a1 u2 x y",
    ],
    [
      "inserts at the tail in commit order",
      [at(0, "x"), after("y"), at(0, "z")],
      "<SYSTEM> u1 a1 u2 x y z",
    ],
    ["inserts before the last message", [at(-1, "x"), at(-1, "y")], "<SYSTEM> u1 a1 x y u2"],
    ["inserts deeper", [at(-2, "x")], "<SYSTEM> u1 x a1 u2"],
    ["inserts right behind the system block", [at(-3, "x")], "<SYSTEM> x u1 a1 u2"],
    ["clamps beyond the start", [at(-4, "x"), at(-99, "y")], "<SYSTEM> x y u1 a1 u2"],
    ["inserts before an id", [insert({ messageId: "a1" }, "before", "x")], "<SYSTEM> u1 x a1 u2"],
    ["inserts behind an id", [insert({ messageId: "a1" }, "after", "x")], "<SYSTEM> u1 a1 x u2"],
    [
      "puts what is behind one message ahead of what is before the next",
      [at(-1, "x"), insert({ messageId: "a1" }, "after", "y")],
      "<SYSTEM> u1 a1 y x u2",
    ],
    ["replaces a message", [insert({ messageId: "a1" }, "replace", "x")], "<SYSTEM> u1 x u2"],
    [
      "replaces the user turn",
      [insert("last_user", "replace", "x"), after("y")],
      "<SYSTEM> u1 a1 x y",
    ],
    [
      "lets the last replacement win",
      [insert({ messageId: "a1" }, "replace", "x"), insert({ messageId: "a1" }, "replace", "y")],
      "<SYSTEM> u1 y u2",
    ],
    [
      "puts an unknown id where the history begins",
      [insert({ messageId: "gone" }, "after", "x")],
      "<SYSTEM> x u1 a1 u2",
    ],
    [
      "drops at an unknown id where told",
      [insert({ messageId: "gone" }, "after", "x", "drop")],
      "<SYSTEM> u1 a1 u2",
    ],
    [
      "prepends and appends one after the other",
      [update("prepend", "A"), update("append", "B"), update("prepend", "C", "-")],
      "<C-ASYSTEMB> u1 a1 u2",
    ],
    [
      "replaces the system prompt, which undoes what came before",
      [update("append", "A"), update("replace", "R"), update("append", "B", " ")],
      "<R B> u1 a1 u2",
    ],
    [
      "lets the last system replacement win",
      [update("replace", "R"), update("replace", "Q")],
      "<Q> u1 a1 u2",
    ],
    ["removes the system prompt", [update("replace", "")], "u1 a1 u2"],
  ])("%s", (_name, given, expected) => {
    expect(shape(assembled({ effects: effects(...given) }))).toBe(expected);
  });

  it("makes a system message where there is none, without a separator", () => {
    const bare = [user("u1")];
    expect(
      shape(
        assembled({
          base: bare,
          effects: effects(update("append", "A", "|"), update("append", "B", "|")),
        }),
      ),
    ).toBe("<A|B> u1");
  });

  it("keeps roles and sources, and joins updates to a system message of parts", () => {
    const parts: ChatMessage = { role: "system", content: [{ type: "text", text: "P" }] };
    const developer: PromptEffect = {
      type: "prompt.append_after_last_user",
      role: "developer",
      content: "x",
      source: "art.x",
    };
    const { messages } = assembled({
      base: [parts, user("u1")],
      effects: effects(update("append", "A"), developer),
    });
    expect(messages).toEqual([
      {
        role: "system",
        content: [
          { type: "text", text: "P" },
          { type: "text", text: "A" },
        ],
      },
      user("u1"),
      { role: "developer", content: "x", source: "art.x" },
    ]);
  });

  it("puts inclusions by order and tag ahead of effects", () => {
    const inclusion = { mode: "after_last_user", role: "user" } as const;
    const prompt = assembled({
      inclusions: [
        { tag: "b", order: 2, inclusion, value: "b2" },
        { tag: "z", order: 1, inclusion, value: "z1" },
        { tag: "a", order: 2, inclusion, value: { n: 1 } },
        { tag: "s", order: 0, inclusion: { mode: "append_system" }, value: "STATE" },
        { tag: "d", order: 0, inclusion: { mode: "at_depth", depth: -1 }, value: "deep" },
        { tag: "n", order: 0, inclusion, value: null },
      ],
      effects: effects(after("effect"), update("append", "E")),
    });
    expect(shape(prompt)).toBe('<SYSTEM\n\nSTATEE> u1 a1 <deep> u2 z1 {"n":1} b2 effect');
    expect(prompt.messages[3]).toMatchObject({ role: "system", source: "art.d" });
    expect(prompt.explain.dropped).toEqual([
      { contributor: { kind: "inclusion", tag: "n" }, reason: "empty" },
    ]);
  });

  it("renders the template of an inclusion over its value, once", () => {
    const template = "It is {{ value.weather }}, {{ art.who }}.";
    const inclusions = [
      {
        tag: "world",
        order: 1,
        inclusion: { mode: "after_last_user", template } as const,
        value: { weather: "{{ art.who }}" },
      },
    ];
    expect(shape(assembled({ inclusions, art: { who: "Mira" } }))).toContain(
      "<It is {{ art.who }}, Mira.>",
    );
  });

  it("cuts an inclusion to its tokens with a mark", () => {
    const value = "word ".repeat(100);
    const inclusions = [
      { tag: "w", order: 1, inclusion: { mode: "after_last_user", maxTokens: 40 } as const, value },
    ];
    const prompt = assembled({ inclusions, counter: characterCounter });
    const content = prompt.messages.at(-1)?.content;
    expect(content).toMatch(/tokens removed/);
    expect(content?.length).toBeLessThanOrEqual(40);
    expect(prompt.explain.shortened).toMatchObject([{ tag: "w" }]);
  });

  it("never inserts between a tool call and its results, and replaces them together", () => {
    const tools = [system, user("u1"), call("c", "x", "y"), result("rx", "x"), result("ry", "y")];
    const moved = assembled({
      base: tools,
      effects: effects(at(-1, "I"), insert({ messageId: "c" }, "after", "J")),
    });
    expect(shape(moved)).toBe("<SYSTEM> u1 I c rx ry J");
    expect(moved.explain.clamped.map(({ reason }) => reason)).toEqual([
      "inside_tool_calls",
      "inside_tool_calls",
    ]);
    const replaced = assembled({
      base: tools,
      effects: effects(insert({ messageId: "rx" }, "replace", "R")),
    });
    expect(shape(replaced)).toBe("<SYSTEM> u1 R");
    expect(replaced.explain.replaced).toEqual([
      { messageIds: ["c", "rx", "ry"], by: { kind: "effect", operationId: "op0", effectIndex: 0 } },
    ]);
  });

  it("explains where each message comes from and what was overridden or clamped", () => {
    const { explain } = assembled({
      effects: effects(
        update("replace", "Q"),
        update("replace", "R"),
        at(-99, "x"),
        insert({ messageId: "a1" }, "replace", "y"),
      ),
    });
    const by = (effectIndex: number) => ({
      kind: "effect",
      operationId: `op${effectIndex}`,
      effectIndex,
    });
    expect(explain).toEqual({
      messages: [
        { from: "system", contributors: [by(1)] },
        { from: "insert", contributors: [by(2)] },
        { from: "base", messageId: "u1", contributors: [] },
        { from: "insert", messageId: "a1", contributors: [by(3)] },
        { from: "base", messageId: "u2", contributors: [] },
      ],
      trimmed: [],
      overridden: [{ contributor: by(0), by: by(1) }],
      clamped: [{ contributor: by(2), reason: "beyond_start" }],
      dropped: [],
      shortened: [],
      replaced: [
        { messageIds: ["a1"], by: by(3) },
        { messageIds: ["s"], by: by(1) },
      ],
    });
  });

  it.each<[string, Partial<AssemblePromptOptions>, string[]]>([
    ["a depth beyond the end", { effects: effects(at(1, "x")) }, ["invalid_anchor effects 0"]],
    [
      "a depth that is no whole number",
      { effects: effects(after("x"), at(-0.5, "x")) },
      ["invalid_anchor effects 1"],
    ],
    [
      "a base without a user turn",
      { base: [system], effects: effects(after("x")) },
      ["invalid_anchor effects 0"],
    ],
    [
      "replacing the system prompt by an insert",
      { effects: effects(insert({ messageId: "s" }, "replace", "x")) },
      ["invalid_anchor effects 0"],
    ],
    [
      "an anchor that must be there",
      { effects: effects(insert({ messageId: "gone" }, "after", "x", "fail")) },
      ["anchor_trimmed effects 0"],
    ],
    [
      "a broken template",
      {
        inclusions: [
          {
            tag: "t",
            order: 1,
            inclusion: { mode: "append_system", template: "{% if %}" },
            value: 1,
          },
        ],
      },
      ["template_render_error inclusions t"],
    ],
    [
      "all faults at once",
      { effects: effects(at(1, "x"), at(2, "y")) },
      ["invalid_anchor effects 0", "invalid_anchor effects 1"],
    ],
  ])("refuses %s", (_name, options, expected) => {
    expect(issuesOf(options)).toEqual(expected);
  });

  it("changes nothing of its input", () => {
    const frozen = base.map((message) => Object.freeze({ ...message }));
    const options = {
      base: Object.freeze(frozen),
      inclusions: [],
      effects: Object.freeze(effects(update("append", "A"), at(-1, "x"))),
    };
    expect(assemblePrompt(options)).toEqual(assemblePrompt(options));
  });
});

const ids = ["m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "gone"];
const content = fc.string({ minLength: 1, maxLength: 12 });
const history = fc
  .array(fc.tuple(fc.constantFrom("user", "assistant", "call", "result"), content), {
    maxLength: 8,
  })
  .map((items): ChatMessage[] => [
    ...items.map(([kind, text], index): ChatMessage => {
      const id = `m${index}`;
      if (kind === "call")
        return {
          id,
          role: "assistant",
          content: text,
          toolCalls: [{ id: "t", name: "f", arguments: "{}" }],
        };
      if (kind === "result") return { id, role: "tool", content: text, toolCallId: "t" };
      return { id, role: kind === "user" ? "user" : "assistant", content: text };
    }),
    { id: "now", role: "user", content: "now" },
  ]);
const anyEffect: fc.Arbitrary<PromptEffect> = fc.oneof(
  content.map(after),
  fc.tuple(fc.integer({ min: -12, max: 0 }), content).map(([depth, text]) => at(depth, text)),
  fc
    .tuple(
      fc.oneof(
        fc.constant("last_user" as const),
        fc.constantFrom(...ids).map((messageId) => ({ messageId })),
        fc.integer({ min: -12, max: 0 }).map((offset) => ({ offset })),
      ),
      fc.constantFrom("before" as const, "after" as const, "replace" as const),
      content,
      fc.constantFrom("boundary" as const, "drop" as const),
    )
    .map(([anchor, place, text, policy]) => insert(anchor, place, text, policy)),
  fc
    .tuple(fc.constantFrom("prepend" as const, "append" as const, "replace" as const), content)
    .map(([mode, text]) => update(mode, text)),
);
const scenario = fc.record({
  base: fc
    .tuple(fc.boolean(), history)
    .map(([hasSystem, messages]) => (hasSystem ? [system, ...messages] : messages)),
  effects: fc.array(anyEffect, { maxLength: 8 }).map((given) => effects(...given)),
});
describe("assemblePrompt for any base and effects", () => {
  it("gives the same bytes again, one origin a message, and keeps the base in its order", () => {
    fc.assert(
      fc.property(scenario, (options) => {
        const first = assemblePrompt({ ...options, inclusions: [] });
        const again = assemblePrompt({ ...structuredClone(options), inclusions: [] });
        expect(JSON.stringify(again)).toBe(JSON.stringify(first));
        if (!first.ok) return;
        const { messages, explain } = first.value;
        expect(explain.messages).toHaveLength(messages.length);
        const order = options.base.map(({ id }) => id);
        const kept = explain.messages.flatMap(({ from, messageId }) =>
          from === "base" && messageId !== undefined ? [order.indexOf(messageId)] : [],
        );
        expect(kept).toEqual(kept.toSorted((left, right) => left - right));
      }),
    );
  });

  it("accounts for every base message and every effect", () => {
    fc.assert(
      fc.property(scenario, (options) => {
        const prompt = assemblePrompt({ ...options, inclusions: [] });
        if (!prompt.ok) return;
        const { messages, replaced, overridden, dropped } = prompt.value.explain;
        const seen = [
          ...messages
            .filter(({ from }) => from === "base" || from === "system")
            .map(({ messageId }) => messageId),
          ...replaced.flatMap(({ messageIds }) => messageIds),
        ].filter((id) => id !== undefined);
        expect(seen.toSorted()).toEqual(options.base.map(({ id }) => id).toSorted());
        const indexes = [
          ...messages.flatMap(({ contributors }) => contributors),
          ...overridden.map(({ contributor }) => contributor),
          ...dropped.map(({ contributor }) => contributor),
        ].flatMap((contributor) =>
          contributor.kind === "effect" ? [contributor.effectIndex] : [],
        );
        expect(indexes.toSorted((left, right) => left - right)).toEqual(
          options.effects.map((_effect, index) => index),
        );
      }),
    );
  });
});
