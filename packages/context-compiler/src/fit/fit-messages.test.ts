import {
  type ChatMessage,
  type TokenCounter,
  type ToolDefinition,
  countMessages,
  estimatedCounter,
} from "@ccl/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { ContextCompilerError } from "../context-compiler-error.ts";
import { fitMessages } from "./fit-messages.ts";
import type { FitOptions, FittedMessages } from "./fit-options.ts";
import type { FitState } from "./fit-state.ts";

const exact: TokenCounter = { ...estimatedCounter, name: "exact-for-tests", isExact: true };

/**
 * Checks a prompt as a strict provider would, independently of the code under test. Undefined if it
 * is valid.
 */
function faultOf(messages: readonly ChatMessage[]): string | undefined {
  let index = 0;
  const isSystem = (role: string | undefined): boolean => role === "system" || role === "developer";
  while (isSystem(messages[index]?.role)) index++;
  if (index < messages.length && messages[index]?.role !== "user")
    return `message ${index} should be the user's`;
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    if (message === undefined) return "hole";
    const text =
      typeof message.content === "string"
        ? message.content
        : message.content.map((part) => ("text" in part ? part.text : "media")).join("");
    const calls = message.toolCalls ?? [];
    if (message.toolCalls !== undefined && (message.role !== "assistant" || calls.length === 0))
      return `calls at ${at}`;
    if (text.trim() === "" && calls.length === 0) return `message ${at} is empty`;
    if (message.role === "tool") return `result at ${at} without its call`;
    if (new Set(calls.map(({ id }) => id)).size < calls.length) return `equal calls at ${at}`;
    const wanted = new Set(calls.map(({ id }) => id));
    while (wanted.size > 0) {
      const result = messages[++at];
      if (result?.role !== "tool" || !wanted.delete(result.toolCallId ?? ""))
        return `unanswered call before ${at}`;
      if (result.content.length === 0) return `message ${at} is empty`;
    }
  }
  return undefined;
}

const bytesOf = (messages: readonly ChatMessage[]): string => JSON.stringify(messages);

const user = (content: string): ChatMessage => ({ role: "user", content });
const model = (content: string): ChatMessage => ({ role: "assistant", content });
const system = (content: string): ChatMessage => ({ role: "system", content });
const calls = (...ids: string[]): ChatMessage => ({
  role: "assistant",
  content: "",
  toolCalls: ids.map((id) => ({
    id,
    name: "look_up",
    arguments: JSON.stringify({ record_id: `R-${id}` }),
  })),
});
const result = (toolCallId: string, content: string): ChatMessage => ({
  role: "tool",
  toolCallId,
  content,
});

const words = (count: number): string =>
  Array.from({ length: count }, (_, index) => `word${index % 97}`).join(" ");
const records = (count: number, turn = 0): string =>
  JSON.stringify(
    Array.from({ length: count }, (_, id) => ({
      record_id: `R-${1000 + turn * 100 + id}`,
      name: `n${id}`,
      size: id * 7,
    })),
  );

const tools: ToolDefinition[] = [
  {
    name: "look_up",
    description: "Looks a record up.",
    inputSchema: { type: "object" },
    execute: async () => "",
  },
];

const text = fc.oneof(
  { weight: 6, arbitrary: fc.lorem({ maxCount: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom("", "  ", "\n") },
  { weight: 1, arbitrary: fc.integer({ min: 500, max: 3000 }).map(words) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 60 }).map(records) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 200 }) },
);
const content: fc.Arbitrary<ChatMessage["content"]> = fc.oneof(
  { weight: 8, arbitrary: text },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.oneof(
        text.map((value) => ({ type: "text" as const, text: value })),
        text.map((value) => ({ type: "reasoning" as const, text: value })),
        fc.constant({ type: "image" as const, mimeType: "image/png", url: "file:///a.png" }),
      ),
      { maxLength: 3 },
    ),
  },
);

/** A call with results that are in order, missing, doubled, or preceded by something else. */
const callTurn: fc.Arbitrary<ChatMessage[]> = fc
  .tuple(
    fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 4 }),
    fc.array(content, { minLength: 8, maxLength: 8 }),
    fc.integer({ min: 0, max: 9 }),
  )
  .map(([ids, contents, fault]) => {
    const results = ids.map((id, at): ChatMessage => ({
      role: "tool",
      toolCallId: id,
      content: contents[at] ?? "",
    }));
    const faulty =
      fault === 0
        ? results.slice(1)
        : fault === 1
          ? [...results, ...results]
          : fault === 2
            ? [user("wait"), ...results]
            : results;
    return [{ ...calls(...ids), content: contents[7] ?? "" }, ...faulty];
  });
const turn: fc.Arbitrary<ChatMessage[]> = fc.oneof(
  {
    weight: 3,
    arbitrary: content.map((value): ChatMessage[] => [{ role: "user", content: value }]),
  },
  {
    weight: 2,
    arbitrary: content.map((value): ChatMessage[] => [{ role: "assistant", content: value }]),
  },
  { weight: 5, arbitrary: callTurn },
  {
    weight: 1,
    arbitrary: content.map((value): ChatMessage[] => [
      { role: "tool", toolCallId: "z", content: value },
    ]),
  },
  { weight: 1, arbitrary: fc.constant(null).map((): ChatMessage[] => [calls("p", "q")]) },
);
const history = fc
  .tuple(fc.boolean(), fc.array(turn, { maxLength: 25 }))
  .map(([hasSystem, turns]) => [...(hasSystem ? [system("You help.")] : []), ...turns.flat()]);

/** Fits messages. Undefined if the required messages are too large. */
function tryFit(messages: ChatMessage[], options: FitOptions): FittedMessages | undefined {
  try {
    return fitMessages(messages, options);
  } catch (error) {
    if (ContextCompilerError.isInstance(error) && error.code === "budget_exceeded")
      return undefined;
    throw error;
  }
}

/** Timeout for the ten thousand runs of the nightly length. */
const longRunMs = 900_000;

describe("for every history and every budget", () => {
  const budget = fc.oneof(fc.integer({ min: 20, max: 400 }), fc.integer({ min: 400, max: 9000 }));

  it(
    "the prompt is valid, within the budget, counted exactly, and the same for the same input",
    () => {
      fc.assert(
        fc.property(history, budget, fc.boolean(), (messages, limit, hasTools) => {
          const options: FitOptions = {
            budget: limit,
            counter: exact,
            tools: hasTools ? tools : undefined,
          };
          const before = bytesOf(messages);
          const fitted = tryFit(messages, options);
          if (fitted === undefined) return;
          expect(faultOf(fitted.messages)).toBeUndefined();
          expect(fitted.tokens).toBe(
            exact.countMessages?.(fitted.messages, options.tools?.slice()),
          );
          expect(fitted.tokens).toBeLessThanOrEqual(limit);
          expect(bytesOf(messages)).toBe(before);
          expect(bytesOf(fitMessages(structuredClone(messages), options).messages)).toBe(
            bytesOf(fitted.messages),
          );
          expect(fitted.breakpoints.length).toBeLessThanOrEqual(4);
        }),
      );
    },
    longRunMs,
  );

  it(
    "a valid prompt stays valid from call to call, and its prefix stays until the next cut",
    () => {
      const legalTurn = fc.oneof(
        content.map((value): ChatMessage[] => [{ role: "user", content: value }]),
        content.map((value): ChatMessage[] => [{ role: "assistant", content: value }]),
        fc.array(content, { minLength: 1, maxLength: 3 }).map((list): ChatMessage[] => [
          calls(...list.map((_, at) => String(at))),
          ...list.map((value, at): ChatMessage => ({
            role: "tool",
            toolCallId: String(at),
            content: value,
          })),
        ]),
      );
      fc.assert(
        fc.property(
          fc.array(legalTurn, { minLength: 2, maxLength: 16 }),
          fc.integer({ min: 600, max: 6000 }),
          (turns, limit) => {
            const messages: ChatMessage[] = [system("You help."), user("Begin.")];
            let live: FittedMessages | undefined;
            let stored: string | undefined;
            for (const added of turns) {
              messages.push(...added);
              const options: FitOptions = { budget: limit, counter: exact };
              const next = tryFit(messages, { ...options, state: live?.state });
              const state: FitState | undefined =
                stored === undefined ? undefined : JSON.parse(stored);
              const reread = tryFit(structuredClone(messages), { ...options, state });
              expect(reread).toEqual(next);
              if (next === undefined) return;
              expect(faultOf(next.messages)).toBeUndefined();
              expect(next.tokens).toBeLessThanOrEqual(limit);
              expectStablePrefix(live, next);
              live = next;
              stored = JSON.stringify(next.state);
            }
          },
        ),
        // Each run is a whole session that is fitted twice at each call.
        { numRuns: Math.ceil((fc.readConfigureGlobal()?.numRuns ?? 200) / 4) },
      );
    },
    longRunMs,
  );
});

function expectStablePrefix(before: FittedMessages | undefined, now: FittedMessages): void {
  if (before === undefined) return;
  const stable = now.firstChangedMessage;
  expect(bytesOf(now.messages.slice(0, stable))).toBe(bytesOf(before.messages.slice(0, stable)));
  const isSameCut = JSON.stringify(before.state.cut) === JSON.stringify(now.state.cut);
  expect(stable).toBeGreaterThanOrEqual(isSameCut ? before.messages.length : 1);
  const counted = countMessages((value) => exact.count(value), now.messages.slice(0, stable));
  expect(now.prefixStableTokens).toBe(counted);
}

describe("the prompt check of these tests", () => {
  it.each<[string, ChatMessage[]]>([
    ["an orphaned result", [user("a"), result("x", "b")]],
    ["an unanswered call", [user("a"), calls("x")]],
    [
      "half of the results of parallel calls",
      [user("a"), calls("x", "y"), result("x", "b"), user("c")],
    ],
    ["an empty message", [user("a"), model(" ")]],
    ["a model message at the start", [system("s"), model("a")]],
    ["one result for two calls with the same id", [user("a"), calls("x", "x"), result("x", "b")]],
  ])("rejects %s", (_name, messages) => {
    expect(faultOf(messages)).toBeDefined();
  });

  it("accepts parallel calls in any order of results", () => {
    expect(
      faultOf([
        system("s"),
        user("a"),
        calls("x", "y"),
        result("y", "1"),
        result("x", "2"),
        model("b"),
      ]),
    ).toBeUndefined();
  });
});

const longSession = (turns: number): ChatMessage[] => [
  system("You look records up."),
  ...Array.from({ length: turns }, (_, at) => [
    user(`Please check R-${5000 + at} for me.`),
    calls(`c${at}`),
    result(`c${at}`, records(12, at)),
    model(`Record ${at} is fine.`),
  ]).flat(),
];

describe("fitMessages", () => {
  it("changes nothing while everything fits", () => {
    const messages = longSession(5);
    const {
      messages: fitted,
      trace,
      prefixStableTokens,
      firstChangedMessage,
    } = fitMessages(messages, { budget: 50_000 });
    expect(fitted).toEqual(messages);
    expect({ trace, prefixStableTokens, firstChangedMessage }).toEqual({
      trace: [],
      prefixStableTokens: 0,
      firstChangedMessage: 0,
    });
  });

  it("marks what it removed, keeps the user's words and shows old results as tables", () => {
    const messages = longSession(8);
    const fitted = fitMessages(messages, {
      budget: 700,
      counter: exact,
    });
    expect(
      fitted.messages.map(({ role, content: shown }) => `${role}: ${String(shown)}`).join("\n"),
    ).toMatchInlineSnapshot(`
      "system: You look records up.
      user: Please check R-5000 for me.
      user: [20 earlier messages (1,300 tokens) were removed here to save space. Kept from them:
      user: Please check R-5001 for me.
      user: Please check R-5002 for me.
      look_up(record_id=R-c2)
      user: Please check R-5003 for me.
      look_up(record_id=R-c3): record_id=R-1300,R-1301,R-1302,R-1303,R-1304
      user: Please check R-5004 for me.
      look_up(record_id=R-c4): record_id=R-1400,R-1401,R-1402,R-1403,R-1404,R-1405,R-1406,R-1407,R-1408,R-1409,R-1410,R-1411
      user: Please check R-5005 for me.]
      assistant: 
      tool: 12 rows
      record_id|name|size
      R-1500|n0|0
      R-1501|n1|7
      R-1502|n2|14
      R-1503|n3|21
      R-1504|n4|28
      R-1505|n5|35
      R-1506|n6|42
      R-1507|n7|49
      R-1508|n8|56
      R-1509|n9|63
      R-1510|n10|70
      R-1511|n11|77
      assistant: Record 5 is fine.
      user: Please check R-5006 for me.
      assistant: 
      tool: 12 rows
      record_id|name|size
      R-1600|n0|0
      R-1601|n1|7
      R-1602|n2|14
      R-1603|n3|21
      R-1604|n4|28
      R-1605|n5|35
      R-1606|n6|42
      R-1607|n7|49
      R-1608|n8|56
      R-1609|n9|63
      R-1610|n10|70
      R-1611|n11|77
      assistant: Record 6 is fine.
      user: Please check R-5007 for me.
      assistant: 
      tool: 12 rows
      record_id|name|size
      R-1700|n0|0
      R-1701|n1|7
      R-1702|n2|14
      R-1703|n3|21
      R-1704|n4|28
      R-1705|n5|35
      R-1706|n6|42
      R-1707|n7|49
      R-1708|n8|56
      R-1709|n9|63
      R-1710|n10|70
      R-1711|n11|77
      assistant: Record 7 is fine."
    `);
    expect(fitted.trace[0]).toMatchObject({ action: "dropped", reason: "budget", from: 2 });
  });

  it("keeps pinned messages with their calls, and marks each range between them", () => {
    const messages = longSession(30);
    const pinned = messages[9];
    const fitted = fitMessages(messages, {
      budget: 1800,
      counter: exact,
      pin: pinned === undefined ? [] : [pinned, { from: 15, to: 16 }],
    });
    expect(fitted.messages).toContain(pinned);
    expect(fitted.messages).toContain(messages[14]);
    expect(fitted.messages).toContain(messages[15]);
    expect(faultOf(fitted.messages)).toBeUndefined();
    expect(fitted.trace.filter(({ action }) => action === "dropped")).toHaveLength(3);
  });

  it("uses the whole budget when it cuts, and keeps the task after many follow-ups", () => {
    const task = user(`The task. Amounts are in francs. ${words(40)} The report is due on Monday.`);
    const messages = [system("s"), task, ...longSession(60).slice(1)];
    for (const budget of [1_000, 2_000, 4_000, 8_000]) {
      const fitted = fitMessages(messages, { budget, counter: exact });
      expect(fitted.messages[1]).toBe(task);
      expect(fitted.tokens).toBeGreaterThanOrEqual(budget * 0.9);
    }
    const state = fitMessages([task], { budget: 4_000, counter: exact }).state;
    const session = fitMessages(messages, { budget: 4_000, counter: exact, state });
    expect(session.tokens).toBeGreaterThanOrEqual(4_000 * 0.5);
    expect(session.tokens).toBeLessThanOrEqual(4_000 * 0.65);
  });

  it("drops nothing that fits in a lossless form", () => {
    const messages = longSession(20);
    const whole = exact.countMessages?.(messages) ?? 0;
    const fitted = fitMessages(messages, { budget: Math.floor(whole * 0.8), counter: exact });
    expect(new Set(fitted.trace.map(({ action }) => action))).toEqual(new Set(["compacted"]));
    expect(fitted.messages).toHaveLength(messages.length);
    expect(fitted.messages.at(-2)).toBe(messages.at(-2));
  });

  it("shows an unread result whole, and shortens older ones for it", () => {
    const messages = [
      ...longSession(20),
      user("And now this one."),
      calls("new"),
      result("new", words(400)),
    ];
    const fitted = fitMessages(messages, { budget: 2_500, counter: exact, policy: "economy" });
    expect(fitted.messages.at(-1)).toBe(messages.at(-1));
  });

  it("cuts earlier if the provider's cache is cold, but only once much of the room is used", () => {
    const messages = (steps: number): ChatMessage[] => [
      user("The task."),
      ...Array.from({ length: steps }, (_, at) => [
        model(`Step ${at}.`),
        user(`${at} ${words(60)}`),
      ]).flat(),
    ];
    const { state } = fitMessages(messages(1), { budget: 20_000, counter: exact });
    const fitted = (steps: number, isCacheCold?: boolean): FittedMessages =>
      fitMessages(messages(steps), { budget: 20_000, counter: exact, state, isCacheCold });
    const filled = (steps: number): number => fitted(steps).tokens / 20_000;
    const steps = Array.from({ length: 400 }, (_, at) => at + 1);
    const [half = 0, most = 0] = [0.7, 0.9].map((share) =>
      steps.find((count) => filled(count) > share),
    );
    for (const count of [half, most]) expect(fitted(count, false).state.cut).toBeUndefined();
    expect(fitted(half, true).state.cut).toBeUndefined();
    expect(fitted(most, true).state.cut).toBeDefined();
    expect(fitted(most, true).tokens).toBeLessThan(20_000 * 0.7);
  });

  it("keeps the last user turn of a long series of calls", () => {
    const task = user("The task: count the records of R-77.");
    const messages = [
      system("s"),
      task,
      ...Array.from({ length: 60 }, (_, at) => [
        calls(`c${at}`),
        result(`c${at}`, words(80)),
      ]).flat(),
    ];
    const fitted = fitMessages(messages, { budget: 2000, counter: exact });
    expect(fitted.messages[1]).toBe(task);
    expect(fitted.messages.at(-1)?.toolCallId).toBe("c59");
    expect(faultOf(fitted.messages)).toBeUndefined();
  });

  it("shortens a result that is larger than the budget, and says how to get the rest", () => {
    const messages = [user("go"), calls("x"), result("x", words(30_000))];
    const fitted = fitMessages(messages, {
      budget: 1000,
      counter: exact,
      restHint: () => "read_artifact a1 gives the rest",
    });
    expect(fitted.messages).toHaveLength(3);
    expect(String(fitted.messages[2]?.content)).toMatch(
      /^\[Shortened from [\d,]+ tokens; read_artifact a1 gives the rest\]\nword0/,
    );
    expect(fitted.trace).toMatchObject([{ action: "truncated", from: 2, to: 3 }]);
  });

  it("counts the reasoning that adapters send from metadata, and drops it if it is too large", () => {
    const thinking = (text: string): ChatMessage => ({
      ...calls("x"),
      providerMetadata: {
        anthropic: { reasoning: [{ type: "thinking", thinking: text, signature: "s" }], mine: 1 },
      },
    });
    const short = fitMessages([user("go"), thinking(words(100)), result("x", "r")], {
      budget: 1000,
      counter: exact,
    });
    expect(short.messages[1]?.providerMetadata).toEqual(thinking(words(100)).providerMetadata);
    expect(short.tokens).toBe(countMessages((value) => exact.count(value), short.messages));
    const long = fitMessages([user("go"), thinking(words(9_000)), result("x", "r")], {
      budget: 1000,
      counter: exact,
    });
    expect(long.messages[1]).toEqual({
      ...calls("x"),
      providerMetadata: { anthropic: { mine: 1 } },
    });
    expect(long.trace).toMatchObject([{ action: "truncated", from: 1, to: 2 }]);
  });

  it("keeps all digits of a number in a table and in a marker", () => {
    const rows = Array.from(
      { length: 30 },
      (_, at) => `{"id":${1_180_000_000_000_000_123n + BigInt(at)},"at":${at}}`,
    );
    const messages = [
      user("find"),
      calls("x"),
      result("x", `[${rows}]`),
      user(words(60)),
      model("ok"),
      user("reply"),
    ];
    const idIn = (budget: number): unknown =>
      /118\d+/.exec(
        JSON.stringify(fitMessages(messages, { budget, counter: exact }).messages),
      )?.[0];
    expect([900, 300].map(idIn)).toEqual(["1180000000000000123", "1180000000000000123"]);
  });

  it("drops images of old results whole, and names them", () => {
    const image: ChatMessage = {
      ...result("x", ""),
      content: [
        { type: "image", mimeType: "image/png", url: "a" },
        { type: "text", text: "seen" },
      ],
    };
    const fitted = fitMessages([user("go"), calls("x"), image], { budget: 1000, counter: exact });
    expect(fitted.messages[2]?.content).toBe("[image of image/png removed]\nseen");
  });

  it("answers calls without a result by a marked error, also at the end", () => {
    const fitted = fitMessages([user("go"), calls("x", "y"), result("y", "done")], {
      budget: 1000,
    });
    expect(fitted.messages.at(-1)).toEqual({
      role: "tool",
      toolCallId: "x",
      content: "[No result of this call was recorded.]",
      isError: true,
    });
    expect(fitted.trace).toMatchObject([
      { action: "repaired", reason: "unanswered_call", from: 1 },
    ]);
  });

  it("moves a result that came after a user message back to its call", () => {
    const messages = [user("go"), calls("x"), user("hurry"), result("x", "done")];
    expect(fitMessages(messages, { budget: 1000 }).messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "user",
    ]);
  });

  it.each<[string, ChatMessage[], string, number]>([
    ["an orphaned result", [user("a"), result("x", "b")], "orphaned_result", 1],
    [
      "a second result",
      [user("a"), calls("x"), result("x", "b"), result("x", "c")],
      "duplicate_result",
      3,
    ],
    ["an empty user message", [user("a"), user(" ")], "empty", 1],
    ["an empty answer", [user("a"), { role: "assistant", content: [] }], "empty", 1],
  ])("drops %s and reports it", (_name, messages, reason, from) => {
    const fitted = fitMessages(messages, { budget: 1000 });
    expect(fitted.messages).toEqual(messages.slice(0, from));
    expect(fitted.trace).toMatchObject([{ action: "dropped", reason, from, to: from + 1 }]);
  });

  it.each<[string, ChatMessage[], ChatMessage[]]>([
    ["nothing", [], []],
    ["only a system prompt", [system("s")], [system("s")]],
    [
      "a model message at the start",
      [model("a")],
      [{ ...user("[The conversation starts here.]"), source: "ccl:start" }, model("a")],
    ],
  ])("accepts %s", (_name, messages, wanted) => {
    expect(fitMessages(messages, { budget: 1000 }).messages).toEqual(wanted);
  });

  it("uses a summary for dropped messages and requests it once", () => {
    const asked: number[] = [];
    const summaryOf = ({ to }: { to: number }): string => `Summary up to ${asked.push(to)}.`;
    const messages = longSession(20);
    const options = { budget: 1500, counter: exact, summaryOf, policy: "balanced" as const };
    const first = fitMessages(messages, options);
    const times = asked.length;
    const more = [...messages, user("and now?")];
    const again = fitMessages(more, { ...options, state: first.state });
    const summaryIn = (shown: readonly ChatMessage[]): unknown =>
      shown.find(({ content: text }) =>
        /Kept from them:\nSummary up to \d+\.\]$/.test(String(text)),
      );
    expect(summaryIn(first.messages)).toBeDefined();
    expect(summaryIn(again.messages)).toEqual(summaryIn(first.messages));
    expect(asked).toHaveLength(times);
  });
});

describe("a budget", () => {
  const reasonOf = (action: () => unknown): unknown => {
    try {
      return action();
    } catch (error) {
      return ContextCompilerError.isInstance(error)
        ? { code: error.code, details: error.details }
        : error;
    }
  };

  it("that is missing is a typed error at run time too", () => {
    const options: FitOptions = JSON.parse("{}");
    expect(reasonOf(() => fitMessages([], options))).toMatchObject({ code: "budget_missing" });
  });

  it.each([
    ["a budget", { budget: 0 }],
    ["a margin", { budget: 100, safetyMargin: 1 }],
    ["a cut", { budget: 100, cutTo: 1.5 }],
  ])("with %s out of range is rejected", (_name, options) => {
    expect(reasonOf(() => fitMessages([], options))).toMatchObject({ code: "invalid_options" });
  });

  it.each([
    ['"budget":"900"', 'not the text "900"'],
    ['"budget":[9]', "not a value of type object"],
    ['"budget":9,"safetyMargin":"0"', 'not the text "0"'],
    ['"budget":9,"cutTo":"0.5"', 'not the text "0.5"'],
    ['"budget":9,"policy":"cheap"', '"balanced" or "economy", not the text "cheap"'],
    ['"budget":9,"tools":{}', "a list of tool definitions, not a value"],
    ['"budget":9,"tools":[null]', "tools[0] needs a name"],
    [
      '"budget":9,"tools":[{"name":"a","description":"","inputSchema":{}},{"name":"b"}]',
      "tools[1] needs a name",
    ],
    ['"budget":9,"counter":{"name":"c"}', "an object with `count`"],
    [
      '"budget":9,"pin":5',
      "pin is a function, or a list of messages and of ranges { from, to }, not 5",
    ],
    ['"budget":9,"restHint":"x"', 'restHint is a function, not the text "x"'],
    ['"budget":9,"keptFactsTokens":"many"', 'not the text "many"'],
  ])("with {%s} is rejected by name", (json, words) => {
    expect(() => fitMessages([], JSON.parse(`{${json}}`))).toThrow(
      expect.objectContaining({ code: "invalid_options", message: expect.stringContaining(words) }),
    );
  });

  it.each<[unknown, string]>([
    [Number.NaN, "returned NaN"],
    [-1, "returned -1"],
    [Promise.resolve(1), "returned a value of type object"],
    ["1", "returned a value of type string"],
  ])("with a counter that returns %s is rejected by name", (given, words) => {
    const counter = { name: "odd", isExact: true, count: JSON.parse };
    counter.count = () => given;
    expect(() => fitMessages([user("hi")], { budget: 900, counter })).toThrow(
      expect.objectContaining({
        code: "invalid_options",
        message: expect.stringContaining(`"odd" ${words}`),
      }),
    );
  });

  it("too small for system prompt, tools and last user turn is rejected with the breakdown", () => {
    const messages = [system(words(300)), user("old"), model("b"), user(words(400))];
    expect(
      reasonOf(() => fitMessages(messages, { budget: 500, counter: exact, tools })),
    ).toMatchObject({
      code: "budget_exceeded",
      details: {
        budget: 500,
        usable: 500,
        pinned: 0,
        systemPrompt: expect.any(Number),
        tools: expect.any(Number),
        lastUserTurn: expect.any(Number),
      },
    });
  });

  it("with an estimating counter holds back a tenth", () => {
    const fitted = fitMessages(longSession(40), { budget: 2000 });
    expect(fitted.tokens).toBeLessThanOrEqual(1800);
  });

  it("is respected with a counter that is not additive", () => {
    const whole = (messages: ChatMessage[]): number => {
      const plain = countMessages((value) => exact.count(value), messages);
      return plain + Math.floor(messages.length ** 1.5);
    };
    const odd: TokenCounter = { ...exact, name: "odd", countMessages: whole };
    const fitted = fitMessages(longSession(40), { budget: 2000, counter: odd });
    expect(fitted.tokens).toBe(whole(fitted.messages));
    expect(fitted.tokens).toBeLessThanOrEqual(2000);
  });

  it.each([
    ["nothing", [null]],
    ["a string", ["hello"]],
    ["an unknown role", [{ role: "robot", content: "a" }]],
    ["a content of an unknown type", [{ role: "user", content: 7 }]],
    [
      "calls without arguments",
      [{ role: "assistant", content: "", toolCalls: [{ id: "a", name: "b" }] }],
    ],
  ])("cannot be respected with %s", (_name, list) => {
    const messages: ChatMessage[] = JSON.parse(JSON.stringify(list));
    expect(reasonOf(() => fitMessages(messages, { budget: 100 }))).toMatchObject({
      code: "invalid_messages",
      details: { index: 0 },
    });
  });
});

describe("a state", () => {
  const options: FitOptions = { budget: 1500, counter: exact };

  it.each([
    ["of another version", { version: 1 }],
    ["without fingerprints", { version: 2, shown: 3, tools: "" }],
    [
      "with a damaged cut",
      {
        version: 2,
        shown: [],
        tools: "",
        cut: { from: 3, kept: [5], markers: [], texts: {}, anchor: "" },
      },
    ],
  ])("%s is rejected", (_name, value) => {
    const state: FitState = JSON.parse(JSON.stringify(value));
    expect(() => fitMessages([], { ...options, state })).toThrow(ContextCompilerError);
  });

  it("of another conversation is ignored, and the trace says so", () => {
    const { state } = fitMessages(longSession(30), options);
    const fitted = fitMessages([user("a new one")], { ...options, state });
    expect(fitted.messages).toEqual([user("a new one")]);
    expect(fitted.trace).toMatchObject([{ action: "reset", reason: "state_mismatch" }]);
  });

  it("detects a message that was changed in place", () => {
    const messages = longSession(4);
    const first = fitMessages(messages, options);
    const last = messages.at(-1);
    if (last !== undefined) last.content = words(50);
    const next = fitMessages(messages, { ...options, state: first.state });
    expect(next.tokens).toBe(exact.countMessages?.(next.messages));
    expect(next.firstChangedMessage).toBe(first.messages.length - 1);
  });

  it("accepts tools without descriptions, as some servers list them", () => {
    const plain = JSON.parse('[{"name":"read","inputSchema":{}}]');
    const { state } = fitMessages(longSession(4), { ...options, tools: plain });
    const again = fitMessages(longSession(4), { ...options, tools: plain, state });
    expect(again.prefixStableTokens).toBe(again.tokens);
  });

  it("of a prompt with other tools has no stable prefix", () => {
    const first = fitMessages(longSession(4), options);
    expect(
      fitMessages(longSession(4), { ...options, tools, state: first.state }).prefixStableTokens,
    ).toBe(0);
  });
});
