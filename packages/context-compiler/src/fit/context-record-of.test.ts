import type { ChatMessage } from "@ccl/core";
import { estimatedCounter } from "@ccl/core";
import { createScriptedModel } from "@ccl/core/testing";
import type { ContextRecord } from "@ccl/core/tracing";
import { array, assert, constantFrom, integer, property, record as recordOf } from "fast-check";
import { expect, it } from "vitest";

import { createContextCompiler } from "../compile/create-context-compiler.ts";
import { runCompiled } from "../compile/run-compiled.ts";
import { fittingConversations } from "../conversations/fit-conversation.ts";
import { createSession } from "../session/create-session.ts";
import type { FitState } from "./fit-state.ts";
import { fitMessages } from "./fit-messages.ts";
import { createMessageMeter } from "./message-meter.ts";

const tools = [{ name: "read", description: "Reads a file.", inputSchema: { type: "object" } }];
const words = constantFrom(
  "short",
  "the parcel is late ".repeat(20),
  "a long line of a log ".repeat(90),
);
const turn = recordOf({ kind: constantFrom("user", "assistant", "call"), text: words });

function historyOf(turns: readonly { kind: string; text: string }[]): ChatMessage[] {
  return turns.flatMap(({ kind, text }, at): ChatMessage[] =>
    kind === "user" || kind === "assistant"
      ? [{ role: kind, content: text }]
      : [
          {
            role: "assistant",
            content: "",
            toolCalls: [{ id: `c${at}`, name: "read", arguments: `{"at":${at}}` }],
          },
          { role: "tool", toolCallId: `c${at}`, content: `${at} ${text}` },
        ],
  );
}

function sentTokens({ parts }: ContextRecord): number {
  return parts.reduce((sum, { sent, tokens }) => sum + (sent ?? { tokens }).tokens, 0);
}

it("reports what happened to each message, and the tokens that the prompt takes", () => {
  let dropped = 0;
  const run = property(
    array(turn, { minLength: 1, maxLength: 30 }),
    integer({ min: 900, max: 5_000 }),
    (turns, budget) => {
      const messages: ChatMessage[] = [
        { role: "user", content: "Which parcel is late?" },
        ...historyOf(turns),
      ];
      const records: ContextRecord[] = [];
      const fitted = fitMessages(messages, {
        budget,
        tools,
        record: { add: (one) => records.push(one) },
      });
      const [record] = records;
      expect(record && sentTokens(record)).toBe(fitted.tokens);
      const own = record?.parts.filter(
        ({ kind, sent }) => kind !== "tools" && sent?.form !== "added",
      );
      const given = messages.map(({ content, toolCalls = [] }) =>
        toolCalls.length === 0
          ? content
          : `\n${toolCalls.map((one) => `${one.name}(${one.arguments})`).join("\n")}`,
      );
      // Added results of unanswered calls may be among them.
      expect(own?.map(({ text }) => text).filter((text) => given.includes(text ?? ""))).toEqual(
        given,
      );
      const gone = own?.filter(({ sent }) => sent?.form === "dropped") ?? [];
      for (const { sent } of gone) expect(sent).toMatchObject({ why: "budget", tokens: 0 });
      dropped += gone.length;
    },
  );
  // A long message comes first, so that something must be cut in every case.
  const long = Array.from({ length: 30 }, () => ({
    kind: "user",
    text: "the parcel is late ".repeat(20),
  }));
  assert(run, { examples: [[long, 900]] });
  // The control: the test needs cases with dropped messages.
  expect(dropped).toBeGreaterThan(0);
});

it("is recorded again with the provider's usage, by every client wrapper", async () => {
  const records: ContextRecord[] = [];
  const fit = fittingConversations({
    budget: 900,
    conversation: "chat-7",
    record: { add: (one) => records.push(one) },
  });
  const { report } = await fit(historyOf([{ kind: "user", text: "Hello." }]), {
    model: "gpt-5",
    write: ({ messages }) => messages,
  });
  await report(undefined);
  await report({ inputTokens: 21, cachedInputTokens: 8 });
  expect(records).toMatchObject([
    { session: "chat-7", source: "withContext", model: "gpt-5", budget: 900 },
    { id: records[0]?.id, reported: { total: 21, cached: 8 } },
  ]);
  expect(records).toHaveLength(2);
});

it("of a compile includes the messages around the history, and the handles of shortened results", async () => {
  const records: ContextRecord[] = [];
  const session = createSession();
  const compiler = createContextCompiler({ record: { add: (one) => records.push(one) } });
  const options = { budget: 1_500, systemPrompt: "You help.", volatile: () => "It is noon." };
  for (const text of ["late", "parcel", "carrier"]) {
    const model = createScriptedModel([`Known: ${text}. ${"It is in the depot. ".repeat(60)}`]);
    await runCompiled({
      session,
      compiler,
      model,
      ...options,
      input: `Look for ${text}. ${"Please. ".repeat(120)}`,
    });
  }
  const last = records.at(-1);
  expect(last).toMatchObject({ source: "compile", session: session.sessionId, budget: 1_500 });
  expect(last?.parts.map(({ kind }) => kind).slice(0, 2)).toEqual(["system", "user"]);
  expect(last?.parts.at(-1)).toMatchObject({ kind: "user", text: "It is noon.", sent: undefined });
  const compiled = await compiler.compile(session, { ...options, volatile: "It is noon." });
  const again = records.at(-1);
  const framing = createMessageMeter(compiler.counter).fixed;
  expect(again && sentTokens(again)).toBe(compiled.tokenCount - framing);
});

it("does not confuse a message with an earlier one of the same length that was cut", () => {
  const long = (letter: string): string => `${letter} `.repeat(4_000);
  const messages = (letter: string): ChatMessage[] => [
    { role: "user", content: "Read both." },
    ...historyOf([{ kind: "call", text: long(letter) }]),
  ];
  const options = { budget: 1_000, counter: estimatedCounter };
  let state: FitState | undefined;
  const shown = ["a", "b"].map((letter) => {
    const fitted = fitMessages(messages(letter), { ...options, state });
    ({ state } = fitted);
    return String(fitted.messages.at(-1)?.content);
  });
  expect(shown[1]).toContain("b b b");
  expect(shown[1]).not.toContain("a a a");
});
