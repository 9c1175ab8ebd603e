import { type ChatMessage, estimatedCounter, type Part } from "@ccl/core";
import fc from "fast-check";
import { expect, it } from "vitest";

import { ContextCompilerError } from "../context-compiler-error.ts";
import { fitMessages } from "./fit-messages.ts";
import type { FitOptions, FittedMessages } from "./fit-options.ts";
import type { FitState } from "./fit-state.ts";

// Histories in which equal calls have different results: pages, polls and dice.
const word = fc.constantFrom(
  ..."order error page token city total path user status date".split(" "),
);
const line = fc
  .tuple(fc.array(word, { minLength: 3, maxLength: 12 }), fc.nat(99_999))
  .map(([words, id]) => `${words.join(" ")} ${id}`);
const lines = (count: number): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(line, { minLength: 4, maxLength: 8 }), fc.nat(9_999))
    .map(([some, salt]) =>
      Array.from({ length: count }, (_, at) => `${some[at % some.length]} ${salt + at * 7}`).join(
        "\n",
      ),
    );
const rows = (count: number): fc.Arbitrary<string> =>
  fc
    .tuple(line, fc.nat(9_999))
    .map(([note, salt]) =>
      JSON.stringify(
        Array.from({ length: count }, (_, at) => ({ id: salt + at * 13, note: `${note} ${at}` })),
      ),
    );
const result = fc
  .constantFrom(1, 3, 10, 30, 120)
  .chain((count) =>
    fc.oneof({ weight: 3, arbitrary: lines(count) }, { weight: 1, arbitrary: rows(count) }),
  );
const screenshot: Part = { type: "image", mimeType: "image/png", data: new Uint8Array(900) };
const step = fc.record({
  results: fc.oneof(
    { weight: 3, arbitrary: fc.array(result, { minLength: 1, maxLength: 2 }) },
    { weight: 1, arbitrary: fc.array(result, { minLength: 10, maxLength: 10 }) },
  ),
  said: fc.option(line, { nil: "" }),
  thought: fc.option(line, { freq: 3, nil: undefined }),
  hasImage: fc.nat(5).map((drawn) => drawn === 0),
  asked: fc.option(line, { freq: 4, nil: undefined }),
});
const history = fc
  .tuple(line, fc.array(step, { minLength: 1, maxLength: 6 }), fc.boolean())
  .map(([task, steps, isSame]) => {
    const messages: ChatMessage[] = [{ role: "user", content: task }];
    for (const [at, { results, said, thought, hasImage, asked }] of steps.entries()) {
      if (asked !== undefined && at > 0)
        messages.push({ role: "assistant", content: "Done." }, { role: "user", content: asked });
      const call = (place: number): { id: string; name: string; arguments: string } => ({
        id: `${at}-${place}`,
        name: "next_page",
        arguments: isSame ? "{}" : JSON.stringify({ page: `${at}-${place}` }),
      });
      messages.push({
        role: "assistant",
        content:
          thought === undefined
            ? said
            : [
                { type: "reasoning", text: thought, signature: `signed ${at}` },
                { type: "text", text: said === "" ? "Next." : said },
              ],
        toolCalls: results.map((_, place) => call(place)),
      });
      for (const [place, content] of results.entries())
        messages.push({
          role: "tool",
          toolCallId: `${at}-${place}`,
          content:
            hasImage && place === 0 ? [{ type: "text", text: content }, screenshot] : content,
        });
    }
    return messages;
  });
const budget = fc.constantFrom(2_000, 4_000, 8_000);

const textOf = ({ content }: ChatMessage): string =>
  typeof content === "string"
    ? content
    : content.map((part) => (part.type === "text" ? part.text : "")).join("");
const isCut = (message: ChatMessage): boolean =>
  message.source === "ccl:elision" ||
  // A table with all rows hides nothing except an image.
  /^\[Shortened.*\n(?!\d+ rows\n)|^\[\.\.\. line/m.test(textOf(message));
/** Fits a history. Undefined if the required messages do not fit. */
function fit(
  messages: readonly ChatMessage[],
  tokens: number,
  policy?: FitOptions["policy"],
  state?: FitState,
): FittedMessages | undefined {
  try {
    return fitMessages(messages, { budget: tokens, policy, state });
  } catch (error) {
    if (ContextCompilerError.isInstance(error) && error.code === "budget_exceeded")
      return undefined;
    throw error;
  }
}

it("uses at least 85 % of the room whenever something is hidden, and hides no unread result entirely", () => {
  fc.assert(
    fc.property(history, budget, (messages, tokens) => {
      const fitted = fit(messages, tokens);
      if (fitted === undefined) return;
      const usable = Math.floor(tokens * 0.9);
      expect(fitted.tokens).toBeLessThanOrEqual(usable);
      const used = fitted.messages.some(isCut) ? fitted.tokens / usable : 1;
      expect(used).toBeGreaterThanOrEqual(0.85);
      const last = messages.findLastIndex(({ role }) => role === "assistant");
      const unread = messages.slice(last + 1).filter(({ role }) => role === "tool");
      const shown = new Map(fitted.messages.map((one) => [one.toolCallId, textOf(one)]));
      const isShown = ({ toolCallId }: ChatMessage): boolean =>
        !/^$|^\[(?:Repeated|Superseded)/.test(shown.get(toolCallId) ?? "");
      for (const message of unread)
        expect(unread.some((one) => textOf(one) === textOf(message) && isShown(one))).toBe(true);
    }),
  );
});

const policy = fc.constantFrom<FitOptions["policy"]>("balanced", "economy");

it("uses the room of a session too when it shortens unread results", () => {
  fc.assert(
    fc.property(history, budget, policy, (messages, tokens, chosen) => {
      const fitted = fit(messages, tokens, chosen);
      const last = messages.findLastIndex(({ role }) => role === "assistant");
      const unread = fitted?.messages.filter((_, at) => (fitted.sources[at] ?? 0) > last) ?? [];
      const used = unread.some(isCut) ? (fitted?.tokens ?? 0) / Math.floor(tokens * 0.9) : 1;
      expect(used).toBeGreaterThanOrEqual(0.85);
    }),
  );
});

it("shows an edited past message within the budget, and hides nothing unread for it", () => {
  fc.assert(
    fc.property(history, budget, fc.nat(99), (messages, tokens, place) => {
      const before = fit(messages, tokens, "balanced");
      const at = place % messages.length;
      const edited = messages.map((message, index) =>
        index === at && typeof message.content === "string"
          ? { ...message, content: `Edited: ${message.content}` }
          : message,
      );
      const fitted = fit(edited, tokens, "balanced", before?.state);
      if (fitted === undefined) return;
      expect(fitted.tokens).toBeLessThanOrEqual(Math.floor(tokens * 0.9));
      const last = edited.findLastIndex(({ role }) => role === "assistant");
      const unread = edited.slice(last + 1).filter(({ role }) => role === "tool");
      const shown = new Map(fitted.messages.map((one) => [one.toolCallId, textOf(one)]));
      for (const { toolCallId } of unread) expect(shown.get(toolCallId) ?? "").not.toBe("");
      const contents = [messages, edited, fitted.messages].map(
        (list) => new Set(list.map(({ content }) => content)),
      );
      const [old, now, sent] = contents;
      const outdated = [...(old ?? [])].filter((one) => !now?.has(one));
      expect(outdated.filter((one) => sent?.has(one))).toEqual([]);
    }),
  );
});

it("cuts a result to its session share once the model has read it", () => {
  const log = Array.from({ length: 2_000 }, (_, at) => `entry ${at * 17} of the log`).join("\n");
  const toolCalls = [{ id: "a", name: "read_log", arguments: "{}" }];
  const messages: ChatMessage[] = [
    { role: "user", content: "What failed?" },
    { role: "assistant", content: "", toolCalls },
    { role: "tool", toolCallId: "a", content: log },
  ];
  const options = { budget: 4_000, safetyMargin: 0 };
  const first = fitMessages(messages, { ...options, policy: "balanced" });
  expect(first.tokens).toBeGreaterThan(3_800);
  const answer = { role: "assistant" as const, content: "Entry 17 did. ".repeat(40) };
  const asked = { role: "user" as const, content: "And then?" };
  const next = fitMessages([...messages, answer, asked], {
    ...options,
    policy: "balanced",
    state: first.state,
  });
  expect(next.tokens).toBeLessThan(2_600);
  expect(next.messages.some(isCut)).toBe(true);
});

it("shows ten pages of equal calls like those of different calls", () => {
  const pages = Array.from({ length: 10 }, (_, page) =>
    Array.from(
      { length: 40 },
      (_row, at) => `page ${page} entry ${page * 40 + at} of the list`,
    ).join("\n"),
  );
  const shownOf = (argumentsOf: (page: number) => string): number => {
    const toolCalls = pages.map((_, page) => ({
      id: `c${page}`,
      name: "next_page",
      arguments: argumentsOf(page),
    }));
    const { messages } = fitMessages(
      [
        { role: "user", content: "Read all pages." },
        { role: "assistant", content: "", toolCalls },
        ...pages.map((content, page) => ({
          role: "tool" as const,
          toolCallId: `c${page}`,
          content,
        })),
      ],
      { budget: 4_000, counter: { ...estimatedCounter, isExact: true, name: "exact" } },
    );
    return pages.filter((_, page) =>
      messages.some((message) => textOf(message).includes(`page ${page} entry`)),
    ).length;
  };
  expect(shownOf(() => "{}")).toBe(10);
  expect(shownOf((page) => JSON.stringify({ page }))).toBe(10);
});
