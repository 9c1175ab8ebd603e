import { estimatedCounter, type ChatMessage, type TokenCounter } from "@ccl/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ContextCompilerError } from "../context-compiler-error.ts";
import { fitMessages } from "./fit-messages.ts";
import type { FittedMessages } from "./fit-options.ts";
import type { FitState } from "./fit-state.ts";

const exact: TokenCounter = { ...estimatedCounter, name: "exact-for-tests", isExact: true };
const double: TokenCounter = {
  name: "double",
  isExact: true,
  count: (text) => 2 * exact.count(text),
};

interface Call {
  messages: ChatMessage[];
  state: FitState | undefined;
}

function fit(
  { messages, state }: Call,
  budget: number,
  counter: TokenCounter,
): FittedMessages | undefined {
  try {
    return fitMessages(messages, { budget, counter, state });
  } catch (error) {
    if (ContextCompilerError.isInstance(error) && error.code === "budget_exceeded")
      return undefined;
    throw error;
  }
}

/** Rewrites a message in place: its content or, with `isOther`, its calls or call id. */
function rewriteMessage(message: ChatMessage, content: string, isOther: boolean): void {
  if (isOther && message.role === "assistant")
    message.toolCalls = [{ id: "b", name: "look_up", arguments: "{}" }];
  else if (isOther && message.role === "tool") message.toolCallId = "b";
  else message.content = content;
}

const text = fc.oneof(
  fc.lorem({ maxCount: 30 }),
  fc.constant(" "),
  fc.integer({ min: 40, max: 400 }).map((count) => "word ".repeat(count)),
);
const toolCalls = [{ id: "a", name: "look_up", arguments: "{}" }];
const message: fc.Arbitrary<ChatMessage> = fc.oneof(
  text.map((content) => ({ role: "user" as const, content })),
  text.map((content) => ({ role: "assistant" as const, content })),
  text.map((content) => ({ role: "assistant" as const, content, toolCalls })),
  text.map((content) => ({ role: "tool" as const, toolCallId: "a", content })),
);
const back = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.nat({ max: 3 }) },
);
const step = fc.record({
  /** How many calls back the messages and the state of this call come from. */
  messagesOf: back,
  stateOf: fc.option(back, { freq: 2 }),
  hasState: fc.boolean(),
  counter: fc.constantFrom(exact, exact, double),
  drop: fc.oneof(
    { weight: 2, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.nat({ max: 4 }) },
  ),
  more: fc.array(fc.tuple(message, fc.boolean()), { maxLength: 5 }),
  rewrite: fc.option(fc.tuple(fc.nat({ max: 40 }), text, fc.boolean()), { freq: 6 }),
});

it("counts cached by an earlier call change nothing, however the messages continue", () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 3, maxLength: 14 }),
      fc.integer({ min: 150, max: 1_500 }),
      (steps, budget) => {
        const known: Call[] = [{ messages: [], state: undefined }];
        for (const { messagesOf, stateOf, hasState, counter, drop, more, rewrite } of steps) {
          const callOf = (count: number): Call | undefined =>
            known[Math.max(0, known.length - 1 - count)];
          const before = callOf(messagesOf)?.messages ?? [];
          const state = hasState ? callOf(stateOf ?? messagesOf)?.state : undefined;
          const kept = before.slice(0, Math.max(0, before.length - drop));
          const changed = rewrite === null ? undefined : kept[rewrite[0]];
          if (changed !== undefined && !Object.isFrozen(changed))
            rewriteMessage(changed, rewrite?.[1] ?? "", rewrite?.[2] ?? false);
          const added = more.map(([one, isFrozen]) =>
            isFrozen ? Object.freeze({ ...one }) : { ...one },
          );
          const messages = [...kept, ...added];
          const fitted = fit({ messages, state }, budget, counter);
          const reread = fit(
            { messages: structuredClone(messages), state: structuredClone(state) },
            budget,
            counter,
          );
          expect(fitted).toEqual(reread);
          if (fitted !== undefined) known.push({ messages, state: fitted.state });
        }
      },
    ),
    // Each run has up to 14 calls, each fitted twice.
    { numRuns: Math.ceil((fc.readConfigureGlobal()?.numRuns ?? 200) / 5) },
  );
});

it.each<[what: string, rewrite: (message: ChatMessage) => void]>([
  [
    "replaced",
    (message) => (message.toolCalls = [{ id: "a", name: "look_up", arguments: '{"at":2}' }]),
  ],
  [
    "changed",
    (message) => {
      for (const call of message.toolCalls ?? []) call.arguments = '{"at":2}';
    },
  ],
])("shows tool calls that were %s in a shortened message of the last turn", (_, rewrite) => {
  const last: ChatMessage = {
    role: "assistant",
    content: `I look it up. ${"word ".repeat(2_000)}`,
    toolCalls: [{ id: "a", name: "look_up", arguments: '{"at":1}' }],
  };
  const messages: ChatMessage[] = [
    { role: "user", content: "Which order is late?" },
    last,
    { role: "tool", toolCallId: "a", content: `order 7 ${"value ".repeat(500)}` },
  ];
  const options = { budget: 800, counter: exact };
  const first = fitMessages(messages, options);
  const shown = first.messages.find(({ role }) => role === "assistant");
  expect(shown?.content).not.toBe(last.content);
  expect(shown?.toolCalls).toEqual([{ id: "a", name: "look_up", arguments: '{"at":1}' }]);
  rewrite(last);
  const next = fitMessages(messages, { ...options, state: first.state });
  expect(next.messages.find(({ role }) => role === "assistant")?.toolCalls).toEqual(last.toolCalls);
  const afresh = fitMessages(structuredClone(messages), options);
  expect(next.messages).toEqual(afresh.messages);
});
