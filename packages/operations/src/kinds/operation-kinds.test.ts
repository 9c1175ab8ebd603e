import type { ToolDefinition } from "@ccl/core";
import { wordCounter } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";

import type { OperationArtifact } from "../artifact/operation-artifact.ts";
import type {
  OperationContext,
  OperationHandler,
  OperationOutcome,
} from "../operation/operation-definition.ts";
import { computeKind } from "./compute-kind.ts";
import { createBuiltinOperations } from "./create-builtin-operations.ts";
import { conditionsHold, guardKind } from "./guard-kind.ts";
import type { RetrievedPassage } from "./kind-options.ts";
import { paramsSchemaOf } from "./kinds.ts";
import { ragKind } from "./rag-kind.ts";
import { templateKind } from "./template-kind.ts";
import { toolKind } from "./tool-kind.ts";
import { transformKind } from "./transform-kind.ts";

const artifact = (tag: string, value: unknown): OperationArtifact => ({
  tag,
  value,
  version: 1,
  runId: "r0",
  writtenAt: 0,
  persisted: true,
  usage: "internal",
  semantics: "state",
  history: [],
});

const writeArtifact = {
  tag: "out",
  persisted: false,
  usage: "internal",
  semantics: "intermediate",
} as const;
const key = `sk-proj-${"a1B2c3D4".repeat(6)}`;

function contextWith(
  params: Record<string, unknown>,
  more: Partial<OperationContext> = {},
): OperationContext {
  const context: OperationContext = {
    runId: "r1",
    attempt: 1,
    trigger: "generate",
    hook: "before_main_llm",
    chatId: "c",
    branchId: "b",
    userMessageId: "u1",
    definition: { operationId: "op", kind: "template", name: "Op" },
    config: { enabled: true, required: false, hooks: ["before_main_llm"], order: 1, params },
    chatHistory: [
      { id: "a0", role: "assistant", content: "You see a Sword." },
      { id: "u1", role: "user", content: "I take the sword" },
    ],
    artifacts: {
      world: artifact("world", { weather: "rain", hp: 4, items: ["rope", "lamp"] }),
      leak: artifact("leak", `the key is ${key}`),
      flag: artifact("flag", true),
    },
    policy: {
      allowedEffects: [
        "artifact.upsert",
        "prompt.insert",
        "prompt.append_after_last_user",
        "prompt.system_update",
        "turn.assistant_blocks",
        "turn.assistant_variant",
      ],
      maxSummaryChars: 4_000,
    },
    signal: new AbortController().signal,
    ...more,
  };
  return Object.freeze(context);
}

async function run(
  handler: OperationHandler,
  params: Record<string, unknown>,
  more: Partial<OperationContext> = {},
): Promise<OperationOutcome> {
  return handler(contextWith(params, more));
}

const valueOf = ({ effects = [] }: OperationOutcome): unknown =>
  effects.flatMap((effect) => (effect.type === "artifact.upsert" ? [effect.value] : []))[0];

describe("kind template", () => {
  const template = templateKind.createHandler({});

  it("writes its text under the tag and as the content of each effect", async () => {
    const emit = [
      { type: "prompt.append_after_last_user", role: "developer", source: "art.out" },
      { type: "prompt.system_update", mode: "append", separator: " " },
    ];
    const outcome = await run(template, {
      template: "It is {{ art.world.weather }}.",
      writeArtifact,
      emit,
    });
    expect(outcome).toMatchObject({ status: "done" });
    expect(outcome.effects).toEqual([
      { type: "artifact.upsert", ...writeArtifact, value: "It is rain." },
      {
        type: "prompt.append_after_last_user",
        role: "developer",
        source: "art.out",
        content: "It is rain.",
      },
      { type: "prompt.system_update", mode: "append", separator: " ", content: "It is rain." },
    ]);
  });

  it.each<[string, Record<string, unknown>, Partial<OperationContext>, string]>([
    ["a missing template", { writeArtifact }, {}, "validation_error"],
    [
      "an unknown parameter",
      { template: "x", temlpate: "y", writeArtifact },
      {},
      "validation_error",
    ],
    [
      "history of a run_only artifact",
      { template: "x", writeArtifact: { ...writeArtifact, retention: { maxItems: 2 } } },
      {},
      "validation_error",
    ],
    [
      "a depth beyond the end",
      { template: "x", emit: [{ type: "prompt.insert_at_depth", depthFromEnd: 1, role: "user" }] },
      {},
      "validation_error",
    ],
    ["a key in its parameters", { template: `use ${key}`, writeArtifact }, {}, "validation_error"],
    ["a syntax fault", { template: "{% if %}", writeArtifact }, {}, "template_render_error"],
    [
      "a missing variable where strict",
      { template: "{{ art.no }}", strictVariables: true, writeArtifact },
      {},
      "template_render_error",
    ],
    [
      "an effect that the hook does not allow",
      { template: "x", emit: [{ type: "turn.user_variant" }] },
      {},
      "policy_error",
    ],
  ])("refuses %s", async (_name, params, more, code) => {
    const outcome = await run(template, params, more);
    expect(outcome).toMatchObject({ status: "error", error: { code } });
    expect(outcome.effects).toBeUndefined();
    expect(JSON.stringify(outcome)).not.toContain(key);
  });

  it("sees the answer after the main call, and none before it", async () => {
    const main = { assistantVariantId: "v", text: "The {{ end }}.", finishReason: "completed" };
    const params = { template: "[{{ main.text }}]", writeArtifact };
    expect(valueOf(await run(template, params, { hook: "after_main_llm", main }))).toBe(
      "[The {{ end }}.]",
    );
    expect(valueOf(await run(template, params))).toBe("[]");
  });

  it("is aborted with its run", async () => {
    expect(
      await run(template, { template: "x", writeArtifact }, { signal: AbortSignal.abort() }),
    ).toMatchObject({
      status: "aborted",
    });
  });
});

describe("kind rag", () => {
  const passages: RetrievedPassage[] = [
    { text: "A sword of steel.", title: "Sword", source: "items.md", score: 0.9 },
    { text: "A rope.", score: 0.4 },
    { text: "A lamp.", score: 0.2 },
  ];
  const asked: { query: string; topK: number }[] = [];
  const rag = ragKind.createHandler({
    counter: wordCounter,
    retriever: {
      async retrieve(query, { topK }) {
        asked.push({ query, topK });
        return passages;
      },
    },
  });
  const emit = [{ type: "prompt.append_after_last_user", role: "system" }];

  it("asks with the rendered query and writes passages and their text", async () => {
    const outcome = await run(rag, {
      query: "{{ chatHistory | last | json }}",
      topK: 2,
      minScore: 0.3,
      writeArtifact,
      emit,
    });
    expect(asked.at(-1)).toEqual({
      query: '{"content":"I take the sword","id":"u1","role":"user"}',
      topK: 2,
    });
    expect(valueOf(outcome)).toEqual(passages.slice(0, 2));
    expect(outcome.effects?.[1]).toMatchObject({
      content: "[1] Sword - items.md\nA sword of steel.\n\n[2]\nA rope.",
    });
  });

  it("keeps whole passages within its tokens and says what is left out", async () => {
    const outcome = await run(rag, { query: "x", maxTokens: 17, emit });
    const text = String(Reflect.get(outcome.effects?.[0] ?? {}, "content"));
    expect(text).toContain("[passages left out: 2]");
    expect(wordCounter.count(text)).toBeLessThanOrEqual(17);
  });

  it("writes its text by a template over the passages", async () => {
    const outcome = await run(rag, {
      query: "x",
      template: '{{ value | map: "text" | join: " " }}',
      emit,
    });
    expect(outcome.effects?.[0]).toMatchObject({ content: "A sword of steel. A rope. A lamp." });
  });

  it("calls a failing retriever provider_error, without its secrets", async () => {
    const failing = ragKind.createHandler({
      retriever: { retrieve: () => Promise.reject(new Error(`refused ${key}`, { cause: key })) },
    });
    const outcome = await run(failing, { query: "x", writeArtifact });
    expect(outcome).toMatchObject({ status: "error", error: { code: "provider_error" } });
    expect(JSON.stringify(outcome)).not.toContain(key);
  });
});

describe("kind tool", () => {
  const seen: unknown[] = [];
  const add: ToolDefinition = {
    name: "add",
    description: "Adds",
    inputSchema: {
      type: "object",
      properties: { what: { type: "string", minLength: 1 }, times: { type: "integer" } },
      required: ["what"],
      additionalProperties: false,
    },
    outputSchema: {
      type: "object",
      properties: { total: { type: "integer" } },
      required: ["total"],
    },
    async execute(input) {
      seen.push(input);
      return Reflect.get(Object(input), "times") === 13 ? { total: "many" } : { total: 3 };
    },
  };
  const say: ToolDefinition = {
    name: "say",
    description: "Says",
    inputSchema: { type: "object" },
    execute: async () => "word ".repeat(50),
  };
  const list: ToolDefinition = {
    name: "list",
    description: "Lists",
    inputSchema: { type: "object" },
    execute: async () => Array.from({ length: 99 }, () => "item"),
  };
  const fail: ToolDefinition = {
    name: "fail",
    description: "Fails",
    inputSchema: { type: "object" },
    execute: () => Promise.reject(new Error(`no ${key}`)),
  };
  const hang: ToolDefinition = {
    name: "hang",
    description: "Hangs",
    inputSchema: { type: "object" },
    execute: () => new Promise(() => undefined),
  };
  const tool = toolKind.createHandler({ tools: [add, say, list, fail, hang] });

  it("renders each text of its arguments and nothing else", async () => {
    const outcome = await run(tool, {
      tool: "add",
      args: { what: "{{ art.world.items | first }}", times: 2 },
      writeArtifact,
    });
    expect(seen.at(-1)).toEqual({ what: "rope", times: 2 });
    expect(valueOf(outcome)).toEqual({ total: 3 });
  });

  it("cuts a long text with a mark", async () => {
    const outcome = await run(tool, { tool: "say", maxOutputChars: 100, writeArtifact });
    expect(valueOf(outcome)).toMatch(/characters removed/);
    expect(String(valueOf(outcome)).length).toBeLessThanOrEqual(100);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["an unknown tool", { tool: "none" }, "validation_error"],
    ["arguments that do not fit", { tool: "add", args: { what: "", more: 1 } }, "validation_error"],
    [
      "arguments of which only a part fits",
      { tool: "add", args: { what: 1, times: { what: "x" } } },
      "validation_error",
    ],
    [
      "an output that does not fit",
      { tool: "add", args: { what: "x", times: 13 } },
      "output_parse_error",
    ],
    ["a long output that cannot be cut", { tool: "list", maxOutputChars: 100 }, "budget_exceeded"],
    ["a tool that fails", { tool: "fail" }, "provider_error"],
    ["a tool that takes too long", { tool: "hang", timeoutMs: 5 }, "timeout"],
    ["a broken template", { tool: "add", args: { what: "{% if %}" } }, "template_render_error"],
  ])("refuses %s", async (_name, params, code) => {
    const outcome = await run(tool, { ...params, writeArtifact });
    expect(outcome).toMatchObject({ status: "error", error: { code } });
    expect(JSON.stringify(outcome)).not.toContain(key);
  });

  it("is aborted while a tool hangs", async () => {
    const controller = new AbortController();
    const outcome = run(tool, { tool: "hang", writeArtifact }, { signal: controller.signal });
    controller.abort();
    expect(await outcome).toMatchObject({ status: "aborted" });
  });
});

describe("kind compute", () => {
  const compute = computeKind.createHandler({
    functions: {
      damage: {
        run: (input, { art }) => ({
          hp:
            Number(Reflect.get(Object(art["world"]), "hp")) -
            Number(Reflect.get(Object(input), "by") ?? 1),
        }),
      },
      broken: {
        run() {
          throw new Error(`broken ${key}`);
        },
      },
      hang: { run: () => new Promise(() => undefined) },
      nan: { run: () => Number.NaN },
      infinite: { run: () => ({ hp: [Infinity] }) },
      map: { run: () => ({ hp: new Map([["troll", 4]]) }) },
      bytes: { run: () => new Uint8Array(2) },
      method: { run: () => ({ hit: () => 1 }) },
      dated: { run: () => ({ at: new Date(0), none: undefined }) },
      endless: {
        run() {
          const value: Record<string, unknown> = {};
          value["self"] = value;
          return value;
        },
      },
    },
  });

  it("gives a function its input and what it may read", async () => {
    expect(
      valueOf(await run(compute, { function: "damage", input: { by: 3 }, writeArtifact })),
    ).toEqual({ hp: 1 });
    expect(valueOf(await run(compute, { function: "damage", writeArtifact }))).toEqual({ hp: 3 });
  });

  it("writes what says itself how it is written, and says what JSON has not", async () => {
    const dated = await run(compute, { function: "dated", writeArtifact });
    expect(valueOf(dated)).toEqual({ at: "1970-01-01T00:00:00.000Z" });
    expect(await run(compute, { function: "map", writeArtifact })).toMatchObject({
      error: { message: expect.stringContaining("It contains a Map.") },
    });
  });

  it.each([
    ["an unknown function", { function: "none" }, "validation_error"],
    ["a name of the prototype", { function: "constructor" }, "validation_error"],
    ["a function that throws", { function: "broken" }, "internal_error"],
    ["a function that takes too long", { function: "hang", timeoutMs: 5 }, "timeout"],
    ["a result that is no JSON", { function: "endless" }, "output_parse_error"],
    ["a result that is no number", { function: "nan" }, "output_parse_error"],
    ["a result that holds no finite number", { function: "infinite" }, "output_parse_error"],
    ["a result that holds a map", { function: "map" }, "output_parse_error"],
    ["a result of bytes", { function: "bytes" }, "output_parse_error"],
    ["a result with a method", { function: "method" }, "output_parse_error"],
  ])("refuses %s", async (_name, params, code) => {
    const outcome = await run(compute, { ...params, writeArtifact });
    expect(outcome).toMatchObject({ status: "error", error: { code } });
    expect(JSON.stringify(outcome)).not.toContain(key);
  });
});

describe("kind guard", () => {
  const guard = guardKind.createHandler({});
  const main = { assistantVariantId: "v", text: "The end.", finishReason: "completed" };

  it.each([
    ["a plain truth", { ref: "art.flag" }, true],
    ["an equal text", { ref: "art.world.weather", equals: "rain" }, true],
    ["an unequal text", { ref: "art.world.weather", equals: "Rain" }, false],
    [
      "an equal text but for case",
      { ref: "art.world.weather", equals: "Rain", ignoreCase: true },
      true,
    ],
    ["numbers", { ref: "art.world.hp", greaterThan: 3, atMost: 4 }, true],
    ["a number against a text", { ref: "art.world.weather", greaterThan: 0 }, false],
    ["a number of items", { ref: "art.world.items", count: true, equals: 2 }, true],
    ["an item of a list", { ref: "art.world.items", contains: "lamp" }, true],
    ["one of several", { ref: "art.world.weather", oneOf: ["snow", "rain"] }, true],
    ["the beginning of a text", { ref: "userMessages.last.content", startsWith: "I take" }, true],
    [
      "words in the last messages",
      { ref: "chatHistory", last: 2, contains: "sword", ignoreCase: true },
      true,
    ],
    [
      "words that are not in the last message of the assistant",
      { ref: "assistantMessages", last: 1, contains: "rope" },
      false,
    ],
    ["what does not exist", { ref: "art.none.deep", equals: "x" }, false],
    ["that something does not exist", { ref: "art.none", exists: false }, true],
    ["that something exists", { ref: "art.world.hp", exists: true }, true],
    ["own properties only", { ref: "art.world.constructor", exists: true }, false],
    ["the answer of the main call", { ref: "main.text", endsWith: "end." }, true],
    ["the trigger", { ref: "trigger", equals: "regenerate" }, false],
    ["all", { all: [{ ref: "art.flag" }, { not: { ref: "art.none" } }] }, true],
    ["any", { any: [{ ref: "art.none" }, { ref: "art.flag" }] }, true],
    ["none of nothing", { any: [] }, false],
  ])("answers for %s", async (_name, condition, expected) => {
    const outcome = await run(guard, { condition, writeArtifact }, { main });
    expect(valueOf(outcome)).toBe(expected);
    const named = await run(
      guard,
      { conditions: { it: condition, not: { not: condition } }, writeArtifact },
      { main },
    );
    expect(valueOf(named)).toEqual({ it: expected, not: !expected });
  });

  it.each([
    ["no condition", {}],
    ["both forms", { condition: { ref: "art.flag" }, conditions: {} }],
    ["an unknown reference", { condition: { ref: "process.env" } }],
    ["a regular expression", { condition: { ref: "art.flag", matches: "(a+)+$" } }],
    ["a name with a dot", { conditions: { "a.b": { ref: "art.flag" } } }],
  ])("refuses %s", async (_name, params) => {
    expect(await run(guard, { ...params, writeArtifact })).toMatchObject({
      status: "error",
      error: { code: "validation_error" },
    });
  });
});

describe("kind transform", () => {
  const transform = transformKind.createHandler({
    transforms: {
      count: (blocks) => [{ type: "text", text: String(blocks.length) }],
      bad: () => JSON.parse("{}"),
      fails: () => JSON.parse(key),
    },
  });
  const main = {
    assistantVariantId: "v",
    text: " One.\n\n```\nTwo.\n``` ",
    finishReason: "completed",
  };
  const after = { hook: "after_main_llm", main } as const;
  const image = { type: "image", url: "x" };

  it.each<[string, unknown[], unknown[] | undefined, unknown[]]>([
    [
      "trims a text",
      [{ use: "trim" }],
      undefined,
      [{ type: "text", text: "One.\n\n```\nTwo.\n```" }],
    ],
    [
      "splits paragraphs without fences",
      [{ use: "strip_code_fences" }, { use: "split_paragraphs" }],
      undefined,
      [
        { type: "text", text: " One." },
        { type: "text", text: "Two." },
      ],
    ],
    [
      "leaves other blocks alone",
      [
        { use: "prefix", text: "> " },
        { use: "suffix", text: "!" },
      ],
      [{ type: "text", text: "a", id: 1 }, image],
      [{ type: "text", text: "> a!", id: 1 }, image],
    ],
    [
      "drops blocks",
      [{ use: "drop_blocks", types: ["image"] }],
      [image, { type: "text", text: "a" }],
      [{ type: "text", text: "a" }],
    ],
    [
      "keeps blocks",
      [{ use: "keep_blocks", types: ["image"] }],
      [image, { type: "text", text: "a" }],
      [image],
    ],
    [
      "joins texts",
      [{ use: "join_text" }],
      [{ type: "text", text: "a" }, { type: "text", text: "b" }, image],
      [{ type: "text", text: "a\n\nb" }, image],
    ],
    [
      "replaces text as it is",
      [{ use: "replace_text", find: "a", with: "$&$1" }],
      [{ type: "text", text: "aba" }],
      [{ type: "text", text: "$&$1b$&$1" }],
    ],
    [
      "collapses whitespace",
      [{ use: "collapse_whitespace" }],
      [{ type: "text", text: " a\n b " }],
      [{ type: "text", text: "a b" }],
    ],
    ["runs an injected one", [{ use: "x:count" }], [image, image], [{ type: "text", text: "2" }]],
  ])("%s", async (_name, steps, blocks, expected) => {
    const outcome = await run(transform, { steps }, { ...after, main: { ...main, blocks } });
    expect(outcome.effects).toEqual([{ type: "turn.assistant_blocks", blocks: expected }]);
  });

  it("makes a variant of the text, or an artifact alone", async () => {
    const steps = [{ use: "strip_code_fences" }, { use: "collapse_whitespace" }];
    expect((await run(transform, { steps, apply: ["variant"] }, after)).effects).toEqual([
      { type: "turn.assistant_variant", content: "One. Two.", select: true },
    ]);
    expect((await run(transform, { steps, writeArtifact }, after)).effects).toEqual([
      { type: "artifact.upsert", ...writeArtifact, value: [{ type: "text", text: "One. Two." }] },
    ]);
  });

  it.each<[string, Record<string, unknown>, Partial<OperationContext>, string]>([
    ["a run before the answer", { steps: [{ use: "trim" }] }, {}, "validation_error"],
    ["an unknown step", { steps: [{ use: "eval" }] }, after, "validation_error"],
    ["an unknown injected step", { steps: [{ use: "x:none" }] }, after, "validation_error"],
    [
      "an injected step that gives no list",
      { steps: [{ use: "x:bad" }] },
      after,
      "output_parse_error",
    ],
    ["an injected step that throws", { steps: [{ use: "x:fails" }] }, after, "internal_error"],
  ])("refuses %s", async (_name, params, more, code) => {
    expect(await run(transform, params, more)).toMatchObject({ status: "error", error: { code } });
  });
});

describe("conditionsHold", () => {
  const artifacts = { flag: { value: true }, flags: { value: { inCombat: "yes", list: [1] } } };
  it.each([
    [{ ref: "art.flag" }, true],
    [{ ref: "art.flag", not: true }, false],
    [{ ref: "art.flags.inCombat" }, false],
    [{ ref: "art.flags.inCombat", equals: "yes" }, true],
    [{ ref: "art.flags.list.0", equals: 1 }, true],
    [{ ref: "art.none" }, false],
    [{ ref: "art.none", not: true }, true],
    [{ ref: "art.constructor", equals: null }, false],
    [{ ref: "flag" }, false],
  ])("evaluates %j", (condition, expected) => {
    expect(conditionsHold([condition], artifacts)).toBe(expected);
  });

  it("wants all of them", () => {
    expect(conditionsHold([{ ref: "art.flag" }, { ref: "art.none" }], artifacts)).toBe(false);
    expect(conditionsHold([], artifacts)).toBe(true);
  });
});

describe("createBuiltinOperations", () => {
  it("has the handlers of the kinds that have what they need", async () => {
    const functions = { say: { run: () => "text" } };
    const { handlers } = createBuiltinOperations({ functions });
    const kinds = ["compute", "guard", "template", "transform", "wait"];
    expect(Object.keys(handlers).toSorted()).toEqual(kinds);
    const outcome = await handlers["compute"]?.(contextWith({ function: "say", writeArtifact }));
    expect(outcome).toMatchObject({ status: "done" });
  });

  it.each(["llm", "template", "rag", "tool", "compute", "transform", "guard", "wait"] as const)(
    "has a JSON Schema for the kind %s, with an object at the root",
    (kind) => {
      expect(paramsSchemaOf(kind)).toMatchObject({
        type: "object",
        properties: { writeArtifact: { type: "object" } },
      });
    },
  );
});
