import { createMemoryArtifactStore } from "@ccl/artifact-store";
import type { ChatMessage, ToolDefinition } from "@ccl/core";
import { createFixedClock, createSequentialIds } from "@ccl/core/testing";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { createMemorySessionStore } from "../session-store/create-session-store.ts";
import { openSession } from "../session/open-session.ts";
import type { EventDraft } from "../session/event-input.ts";
import type { Session } from "../session/session.ts";
import { promptFault } from "../../test-support/prompt-fault.ts";
import { exact, recordTurns, sampleSession, words } from "../../test-support/sample-session.ts";
import { compactor } from "./compactor.ts";
import type { ContextProcessor } from "./context-processor.ts";
import { createContextCompiler } from "./create-context-compiler.ts";
import { type ContextCompilerOptions } from "./compile-options.ts";
import { type CompileOptions } from "./compile-options.ts";
import { historySelector } from "./history-selector.ts";
import type { ContextEntry, WorkingContext } from "./working-context.ts";

const systemPrompt = "You help with records.";
const compilerOf = (options: ContextCompilerOptions = {}) =>
  createContextCompiler({ counter: exact, ...options });
const bytesOf = (context: WorkingContext): string => JSON.stringify(context.toMessages());
const tool = (name: string): ToolDefinition => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object" },
  execute: async () => "",
});

describe("a compile", () => {
  it("gives the whole history while it fits, tools by name, with a trace entry for each processor", async () => {
    const session = sampleSession();
    await recordTurns(session, 0, 2);
    const compiler = compilerOf();
    const context = await compiler.compile(session, {
      budget: 10_000,
      systemPrompt,
      tools: [tool("b"), tool("a")],
    });
    expect(context.toMessages()).toEqual([
      { role: "system", content: systemPrompt },
      ...session.messages().map(({ message }) => message),
    ]);
    expect(context.tools.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(context.tokenCount).toBe(
      exact.countMessages?.(context.toMessages(), [...context.tools]),
    );
    expect(context.toolResults).toHaveLength(2);
    expect(context.history).toHaveLength(8);
    expect(context.overflow()).toBe(0);
    expect(
      context.trace.map(({ processor, isWithinBudget }) => [processor, isWithinBudget]),
    ).toEqual([
      ["artifactAttacher", true],
      ["compactor", true],
      ["memoryPreloader", true],
      ["historySelector", true],
    ]);
  });

  it("reports what was dropped and why, and that the prompt was over the budget before", async () => {
    const session = sampleSession();
    await recordTurns(session, 0, 20);
    const context = await compilerOf().compile(session, { budget: 1_000, systemPrompt });
    const [attached, , , selected] = context.trace;
    expect(attached).toMatchObject({
      isWithinBudget: false,
      tokensBefore: attached?.tokensAfter,
      changes: [],
    });
    expect(selected).toMatchObject({
      tokensBefore: attached?.tokensAfter,
      tokensAfter: context.tokenCount,
    });
    expect(selected?.changes[0]).toMatchObject({ action: "dropped", reason: "budget", from: 2 });
    expect(context.toMessages().filter(({ source }) => source === "ccl:elision")).not.toEqual([]);
    expect(context.entries.at(-1)?.eventIds).toEqual([session.eventLog.at(-1)?.eventId]);
  });

  it("does not change the log: two budgets give two prompts of one log", async () => {
    const session = sampleSession();
    await recordTurns(session, 0, 20);
    const before = JSON.stringify([...session.eventLog]);
    const compiler = compilerOf();
    const small = await compiler.compile(session, { budget: 1_000, systemPrompt });
    const large = await compiler.compile(session, { budget: 100_000, systemPrompt });
    expect(small.tokenCount).toBeLessThan(large.tokenCount);
    expect(large.history).toHaveLength(80);
    expect(JSON.stringify([...session.eventLog])).toBe(before);
  });

  it("holds back a tenth of the budget for an estimating counter, also for the tail of the prompt", async () => {
    const session = sampleSession();
    await recordTurns(session, 0, 30);
    const compiler = createContextCompiler({ counter: { ...exact, isExact: false } });
    const context = await compiler.compile(session, {
      budget: 1_000,
      systemPrompt,
      volatile: words(150),
    });
    expect(context.tokenCount).toBeLessThanOrEqual(900);
  });

  it("leaves out a blank system prompt, and keeps the reserve free", async () => {
    const session = sampleSession();
    await recordTurns(session, 0, 20);
    const context = await compilerOf().compile(session, {
      budget: 1_500,
      reserve: 500,
      systemPrompt: " \n",
    });
    expect(context.budget).toBe(1_000);
    expect(context.toMessages()[0]?.role).toBe("user");
    expect(context.tokenCount).toBeLessThanOrEqual(1_000);
    expect(context.history).toEqual(context.toMessages());
  });
});

describe("a budget", () => {
  const broken: [string, Partial<CompileOptions>, object][] = [
    ["that is missing", { systemPrompt }, { code: "budget_missing" }],
    ["of 0", { systemPrompt, budget: 0 }, { code: "invalid_options" }],
    [
      "that the reserve uses up",
      { systemPrompt, budget: 500, reserve: 500 },
      { code: "invalid_options" },
    ],
    ["that is not a number", { systemPrompt, budget: Number.NaN }, { code: "invalid_options" }],
  ];
  it.each(broken)("%s is a typed error", async (_, options, error) => {
    const compiling: Promise<unknown> = Reflect.apply(compilerOf().compile, undefined, [
      sampleSession(),
      options,
    ]);
    await expect(compiling).rejects.toMatchObject(error);
  });

  it("too small for the required messages is a typed error with the breakdown", async () => {
    const session = sampleSession();
    await session.record("user_input", { content: words(40) });
    const compile = compilerOf().compile(session, {
      budget: 120,
      systemPrompt: words(120),
      tools: [tool("a")],
    });
    await expect(compile).rejects.toMatchObject({
      code: "budget_exceeded",
      details: {
        budget: 120,
        systemPrompt: expect.any(Number),
        tools: expect.any(Number),
        lastUserTurn: expect.any(Number),
      },
    });
  });

  it("filled by the tail of the prompt is a typed error that says so", async () => {
    const session = sampleSession();
    await session.record("user_input", { content: "Hello." });
    const compile = compilerOf().compile(session, {
      budget: 100,
      systemPrompt,
      volatile: words(200),
    });
    await expect(compile).rejects.toMatchObject({
      code: "budget_exceeded",
      details: { budget: 100, last: expect.any(Number) },
    });
  });

  it("exceeded after the last processor is a typed error with the breakdown", async () => {
    const session = sampleSession();
    await recordTurns(session, 0, 10);
    const compile = compilerOf({ processors: [compactor()] }).compile(session, {
      budget: 1_000,
      systemPrompt,
    });
    await expect(compile).rejects.toMatchObject({
      code: "budget_exceeded",
      details: { budget: 1_000, systemPrompt: expect.any(Number), history: expect.any(Number) },
    });
  });
});

describe("the provider's cache", () => {
  it("gets equal bytes for an equal log", async () => {
    const session = sampleSession();
    await recordTurns(session, 0, 20);
    const compiler = compilerOf();
    const first = await compiler.compile(session, { budget: 1_000, systemPrompt });
    const again = await compiler.compile(session, { budget: 1_000, systemPrompt });
    const afresh = await compilerOf().compile(session, { budget: 1_000, systemPrompt });
    expect(bytesOf(again)).toBe(bytesOf(first));
    expect(bytesOf(afresh)).toBe(bytesOf(first));
    expect(again.firstChangedMessage).toBe(again.toMessages().length);
    expect(again.prefixStableTokens).toBe(again.tokenCount);
  });

  it("keeps its prefix while the log grows within the budget", async () => {
    const session = sampleSession();
    await recordTurns(session, 0, 30);
    const compiler = compilerOf();
    let before = await compiler.compile(session, { budget: 3_000, systemPrompt });
    for (let turn = 30; turn < 34; turn += 1) {
      await recordTurns(session, turn, turn + 1);
      const context = await compiler.compile(session, { budget: 3_000, systemPrompt });
      expect(context.toMessages().slice(0, before.toMessages().length)).toEqual(
        before.toMessages(),
      );
      expect(context.prefixStableTokens).toBe(before.tokenCount);
      expect(context.firstChangedMessage).toBe(before.toMessages().length);
      expect(context.breakpoints).toContain(before.toMessages().length - 1);
      before = context;
    }
  });

  it("keeps its prefix over a restart, because the cut is stored with the session", async () => {
    const store = createMemorySessionStore();
    const session = await openSession({ store, sessionId: "a", counter: exact });
    await recordTurns(session, 0, 30);
    const cut = await compilerOf().compile(session, { budget: 3_000, systemPrompt });
    await recordTurns(session, 30, 33);
    const expected = await compilerOf().compile(session, { budget: 3_000, systemPrompt });
    expect(expected.toMessages().slice(0, cut.toMessages().length)).toEqual(cut.toMessages());
    const reopened = await openSession({ store, sessionId: "a", counter: exact });
    const context = await compilerOf().compile(reopened, { budget: 3_000, systemPrompt });
    expect(bytesOf(context)).toBe(bytesOf(expected));
    await store.saveState("a", { key: "compile:3000", json: undefined });
    const forgotten = await openSession({ store, sessionId: "a", counter: exact });
    expect(
      bytesOf(await compilerOf().compile(forgotten, { budget: 3_000, systemPrompt })),
    ).not.toBe(bytesOf(expected));
  });

  it("keeps its prefix after compiles with many other budgets", async () => {
    const session = sampleSession();
    await recordTurns(session, 0, 30);
    const compiler = compilerOf();
    const before = await compiler.compile(session, { budget: 3_000, systemPrompt });
    await recordTurns(session, 30, 31);
    for (let budget = 1_000; budget < 1_020; budget += 1)
      await compiler.compile(session, { budget, systemPrompt });
    const context = await compiler.compile(session, { budget: 3_000, systemPrompt });
    expect(context.toMessages().slice(0, before.toMessages().length)).toEqual(before.toMessages());
  });

  it("is all that is lost if the state store is broken or fails", async () => {
    const inner = createMemorySessionStore();
    const fail = (): Promise<never> => Promise.reject(new Error("disk full"));
    await inner.saveState("a", { key: "compile:1000", json: "{" });
    const session = await openSession({
      store: { ...inner, saveState: fail },
      sessionId: "a",
      counter: exact,
    });
    await recordTurns(session, 0, 20);
    const { trace } = await compilerOf().compile(session, { budget: 1_000, systemPrompt });
    expect(trace.at(-1)?.remarks).toEqual([
      "the cut that was saved with the session can't be read: a new cut was created",
      "the cut was not saved with the session (unknown): a restart creates a new one",
    ]);
    const blind = await openSession({
      store: { ...inner, loadState: fail },
      sessionId: "a",
      counter: exact,
    });
    await expect(
      compilerOf().compile(blind, { budget: 1_000, systemPrompt }),
    ).resolves.toBeDefined();
  });

  it.each(["loadState", "saveState"])("does not delay an abort while %s hangs", async (name) => {
    const controller = new AbortController();
    const hang = (): Promise<never> => new Promise(() => controller.abort("enough"));
    const store = { ...createMemorySessionStore(), [name]: hang };
    const session = await openSession({ store, sessionId: "a", counter: exact });
    await recordTurns(session, 0, 20);
    const compiling = compilerOf().compile(session, {
      budget: 1_000,
      systemPrompt,
      signal: controller.signal,
    });
    await expect(compiling).rejects.toMatchObject({ code: "aborted", cause: "enough" });
  });
});

describe("a processor", () => {
  const note: ContextProcessor = {
    name: "note",
    process: ({ context }) =>
      context
        .with({ volatile: "It is Monday." }, { remarks: ["a day"] })
        .with({}, { remarks: ["was added"] }),
  };

  it("of the application changes the prompt and adds its remarks to the trace", async () => {
    const session = sampleSession();
    await recordTurns(session, 0, 1);
    const compiler = compilerOf({ processors: [note, historySelector()] });
    const context = await compiler.compile(session, { budget: 5_000, systemPrompt });
    expect(context.toMessages().at(-1)).toMatchObject({ role: "user", content: "It is Monday." });
    expect(context.trace[0]).toMatchObject({ processor: "note", remarks: ["a day", "was added"] });
    expect(context.trace[0]?.tokensAfter).toBeGreaterThan(
      context.trace[0]?.tokensBefore ?? Infinity,
    );
  });

  it("that returns a context of another compile, or none, causes a typed error", async () => {
    const session = sampleSession();
    await recordTurns(session, 0, 1);
    const foreign = await compilerOf().compile(session, { budget: 5_000, systemPrompt });
    for (const answer of [foreign, { ...foreign }, undefined]) {
      const process: ContextProcessor["process"] = vi
        .fn<() => never>()
        .mockReturnValue(answer as never);
      const compiler = compilerOf({ processors: [{ name: "odd", process }] });
      const compile = compiler.compile(session, { budget: 5_000, systemPrompt });
      await expect(compile).rejects.toMatchObject({
        code: "invalid_options",
        message: expect.stringContaining('"odd"'),
      });
    }
  });

  const part: ContextEntry = { message: { role: "user", content: "x" }, eventIds: [] };
  it.each([
    ["entries", null],
    ["entries", [{ message: null, eventIds: [] }]],
    ["entries", [{ ...part, message: { role: "user", content: 5 } }]],
    ["memoryHits", [{ text: 5 }]],
    ["systemPrompt", 5],
    ["volatile", null],
    ["tools", [null]],
  ])("that turns %s into %j causes a typed error that names it", async (name, value) => {
    const session = sampleSession();
    await recordTurns(session, 0, 1);
    const odd: ContextProcessor = {
      name: "odd",
      process: ({ context }) => context.with({ [name]: value }),
    };
    const compile = compilerOf({ processors: [odd, historySelector()] }).compile(session, {
      budget: 500,
      systemPrompt,
    });
    await expect(compile).rejects.toMatchObject({
      code: "invalid_options",
      message: expect.stringContaining('What the processor "odd" returned'),
    });
  });

  it.each<[string, ChatMessage]>([
    ["a result without a call", { role: "tool", toolCallId: "none", content: "x" }],
    [
      "a call without its result",
      { role: "assistant", content: "", toolCalls: [{ id: "c", name: "a", arguments: "" }] },
    ],
    ["a message without text", { role: "user", content: " " }],
  ])("that leaves %s after the selection causes a typed error", async (_, message) => {
    const session = sampleSession();
    await recordTurns(session, 0, 1);
    const odd: ContextProcessor = {
      name: "odd",
      process: ({ context }) =>
        context.with({ entries: [...context.entries, { message, eventIds: [] }] }),
    };
    const options = { budget: 900, systemPrompt };
    const behind = compilerOf({ processors: [historySelector(), odd] }).compile(session, options);
    await expect(behind).rejects.toMatchObject({ code: "invalid_messages", details: { index: 4 } });
    const alone = compilerOf({ processors: [odd] }).compile(session, options);
    await expect(alone).rejects.toMatchObject({ code: "invalid_messages" });
    const repaired = await compilerOf({ processors: [odd, historySelector()] }).compile(
      session,
      options,
    );
    expect(promptFault(repaired.toMessages())).toBeUndefined();
  });

  it("that hangs does not delay an abort, and its own errors are passed through", async () => {
    const session = sampleSession();
    const controller = new AbortController();
    const hang: ContextProcessor = {
      name: "hang",
      process: () => new Promise(() => controller.abort("enough")),
    };
    const options = { budget: 500, systemPrompt, signal: controller.signal };
    await expect(
      compilerOf({ processors: [hang] }).compile(session, options),
    ).rejects.toMatchObject({
      code: "aborted",
      cause: "enough",
    });
    await expect(compilerOf().compile(session, options)).rejects.toMatchObject({ code: "aborted" });
    const fail: ContextProcessor = {
      name: "fail",
      process: () => Promise.reject(new RangeError("odd")),
    };
    await expect(
      compilerOf({ processors: [fail] }).compile(session, { budget: 500, systemPrompt }),
    ).rejects.toThrow(RangeError);
  });
});

describe("for every log and every budget", () => {
  const text = fc.oneof(
    fc.lorem({ maxCount: 30 }),
    fc.constantFrom("", "  ", "\n\n"),
    fc.integer({ min: 300, max: 1_500 }).map((count) => words(count)),
  );
  const callIds = fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1 });
  const called = fc
    .tuple(callIds, fc.array(text, { minLength: 4, maxLength: 4 }), fc.integer({ min: 0, max: 5 }))
    .map(([ids, texts, fault]): EventDraft[] => {
      const toolCalls = ids.map((id) => ({ id, name: "look_up", arguments: "{}" }));
      const answers = ids.map((callId, at): EventDraft => {
        const content = texts[at] ?? "";
        return fault === 1
          ? { kind: "tool_error", data: { callId, content } }
          : { kind: "tool_success", data: { callId, content } };
      });
      const given = fault === 2 ? answers.slice(1) : fault === 3 ? answers.toReversed() : answers;
      return [
        { kind: "assistant_message", data: { content: texts[3] ?? "", toolCalls } },
        ...given,
      ];
    });
  const turn: fc.Arbitrary<EventDraft[]> = fc.oneof(
    text.map((content): EventDraft[] => [{ kind: "user_input", data: { content } }]),
    text.map((content): EventDraft[] => [{ kind: "assistant_message", data: { content } }]),
    text.map((hit): EventDraft[] => [
      { kind: "memory_hit", data: { memoryId: hit.slice(0, 9) || "m", text: hit || "it" } },
    ]),
    called,
    called,
  );
  const log = fc.array(turn, { minLength: 1, maxLength: 16 });

  it("the prompt is valid, counted exactly, within the budget, and the same for the same log", async () => {
    await fc.assert(
      fc.asyncProperty(
        log,
        fc.integer({ min: 150, max: 4_000 }),
        fc.boolean(),
        async (turns, budget, isLate) => {
          const session = sampleSession();
          const compiler = compilerOf();
          const options = { budget, systemPrompt, volatile: isLate ? "It is Monday." : "" };
          for (const drafts of turns) {
            await session.recordAll(drafts);
            const context = await compiler.compile(session, options);
            expect(promptFault(context.toMessages())).toBeUndefined();
            expect(context.tokenCount).toBe(exact.countMessages?.(context.toMessages()));
            expect(context.tokenCount).toBeLessThanOrEqual(budget);
            expect(bytesOf(await compiler.compile(session, options))).toBe(bytesOf(context));
            const places = new Map([...session.eventLog].map(({ eventId }, at) => [eventId, at]));
            const shown = context.entries.flatMap(({ eventIds }) =>
              eventIds.map((id) => places.get(id) ?? -1),
            );
            expect(new Set(shown).size).toBe(shown.length);
            expect(shown).not.toContain(-1);
            const unknown = context.entries
              .filter(({ eventIds }) => eventIds.length === 0)
              .map(({ message }) => message);
            expect(
              unknown.filter(
                ({ source, isError }) => source?.startsWith("ccl:") !== true && isError !== true,
              ),
            ).toEqual([]);
          }
        },
      ),
      { numRuns: Math.ceil((fc.readConfigureGlobal().numRuns ?? 200) / 10) },
    );
  });

  it("a compiler that followed the log gives the same prompt as a new one, whatever budgets it compiled for", async () => {
    const resultOf = async (compile: Promise<WorkingContext>): Promise<unknown> => {
      const context = await compile;
      const { entries, tokenCount, trace, artifactRefs } = context;
      return { messages: context.toMessages(), entries, tokenCount, trace, artifactRefs };
    };
    const growth = fc.array(fc.tuple(turn, fc.nat({ max: 2 })), { minLength: 2, maxLength: 10 });
    const budgets = fc.array(fc.integer({ min: 300, max: 4_000 }), { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(growth, budgets, fc.boolean(), async (steps, totals, hasStore) => {
        const sessionOf = (): Session => {
          if (!hasStore) return sampleSession();
          const artifactStore = createMemoryArtifactStore({
            clock: createFixedClock(1),
            ids: createSequentialIds("h"),
          });
          return sampleSession({ artifactStore, offloadAboveTokens: Infinity });
        };
        const [session, replay, compiler] = [sessionOf(), sessionOf(), compilerOf()];
        for (const [drafts, which] of steps) {
          const options = { budget: totals[which] ?? 1_000, systemPrompt };
          for (const draft of drafts) {
            await session.recordAll([draft]);
            await replay.recordAll([draft]);
            const followed = await resultOf(compiler.compile(session, options));
            expect(followed).toEqual(await resultOf(compilerOf().compile(replay, options)));
          }
        }
      }),
      { numRuns: Math.ceil((fc.readConfigureGlobal().numRuns ?? 100) / 10) },
    );
  });
});
