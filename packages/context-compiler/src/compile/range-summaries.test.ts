import { describe, expect, it, vi } from "vitest";
import { createMemorySessionStore } from "../session-store/create-session-store.ts";
import { openSession } from "../session/open-session.ts";
import type { Session } from "../session/session.ts";
import { promptFault, textOf } from "../../test-support/prompt-fault.ts";
import { exact, recordTurns, sampleSession } from "../../test-support/sample-session.ts";
import { compactor } from "./compactor.ts";
import { createContextCompiler, type ContextCompiler } from "./create-context-compiler.ts";
import { historySelector } from "./history-selector.ts";
import type { Summarize, WorkingContext } from "./working-context.ts";

const compilerWith = (summarize: Summarize): ContextCompiler =>
  createContextCompiler({
    counter: exact,
    processors: [compactor({ summarize }), historySelector()],
  });
const compile = (
  compiler: ContextCompiler,
  session: Session,
  signal?: AbortSignal,
): Promise<WorkingContext> =>
  compiler.compile(session, {
    budget: 1_500,
    systemPrompt: "You help.",
    signal,
  });
const shownIn = (context: WorkingContext): string => context.toMessages().map(textOf).join("\n");
const summariesOf = ({ eventLog }: Session) =>
  eventLog.filter(["phase_result"]).map(({ data }) => data.summary);

describe("a summary", () => {
  it("is written once per range, stored in the log, and shown as long as the cut lasts", async () => {
    const session = sampleSession();
    await recordTurns(session, 0, 20);
    const summarize = vi.fn<Summarize>(
      async ({ messages }) => `They spoke of ${messages.length} things.`,
    );
    const compiler = compilerWith(summarize);
    const first = await compile(compiler, session);
    expect(shownIn(first)).toMatch(/They spoke of \d+ things\./);
    expect(promptFault(first.toMessages())).toBeUndefined();
    expect(first.tokenCount).toBeLessThanOrEqual(1_500);
    await recordTurns(session, 20, 21);
    const second = await compile(compiler, session);
    expect(second.toMessages().slice(0, first.toMessages().length)).toEqual(first.toMessages());
    const afresh = await compile(compilerWith(summarize), session);
    expect(shownIn(afresh)).toMatch(/They spoke of/);
    expect(summarize).toHaveBeenCalledTimes(summariesOf(session).length);
    expect(summariesOf(session)).toHaveLength(1);
  });

  it("is found again after a restart, by a compiler without a summarizer", async () => {
    const store = createMemorySessionStore();
    const session = await openSession({ store, sessionId: "a", counter: exact });
    await recordTurns(session, 0, 20);
    const before = await compile(
      compilerWith(async () => "They spoke."),
      session,
    );
    const reopened = await openSession({ store, sessionId: "a", counter: exact });
    await store.saveState("a", { key: "compile:1500", json: undefined });
    const after = await compile(createContextCompiler({ counter: exact }), reopened);
    expect(after.toMessages()).toEqual(before.toMessages());
  });

  it("continues the previous one when more is dropped", async () => {
    const session = sampleSession();
    await recordTurns(session, 0, 20);
    let count = 0;
    const summarize = vi.fn<Summarize>(async () => `Summary ${(count += 1)}.`);
    const compiler = compilerWith(summarize);
    await compile(compiler, session);
    await recordTurns(session, 20, 35);
    const context = await compile(compiler, session);
    expect(shownIn(context)).toContain("Summary 2.");
    const [, again] = summarize.mock.calls;
    expect(again?.[0].previous?.text).toBe("Summary 1.");
    expect(again?.[0].messages.length).toBeLessThan(80);
  });

  const broken: [string, Summarize, string][] = [
    ["fails", () => Promise.reject(new Error("no credit")), "the summary failed (no credit)"],
    [
      "throws",
      () => {
        throw new Error("odd");
      },
      "the summary failed (odd)",
    ],
    ["is empty", async () => " ", "the summary was empty"],
  ];
  it.each(broken)("that %s is replaced by the facts", async (_, summarize, reason) => {
    const session = sampleSession();
    await recordTurns(session, 0, 20);
    const context = await compile(compilerWith(summarize), session);
    expect(context.trace.at(-1)?.remarks).toEqual([`the facts were kept: ${reason}`]);
    expect(shownIn(context)).toContain("R-1");
    expect(summariesOf(session)).toEqual([]);
  });

  it("is written once by two concurrent compiles", async () => {
    const session = sampleSession();
    await recordTurns(session, 0, 20);
    const summarize = vi.fn<Summarize>(async () => "They spoke.");
    const contexts = await Promise.all([1, 2].map(() => compile(compilerWith(summarize), session)));
    expect(summarize).toHaveBeenCalledTimes(1);
    expect(contexts[0]?.toMessages()).toEqual(contexts[1]?.toMessages());
  });

  it("that hangs delays neither an abort nor the next compile", async () => {
    const session = sampleSession();
    await recordTurns(session, 0, 20);
    const controller = new AbortController();
    const hang: Summarize = () => new Promise(() => controller.abort("enough"));
    await expect(compile(compilerWith(hang), session, controller.signal)).rejects.toMatchObject({
      code: "aborted",
    });
    expect(
      shownIn(
        await compile(
          compilerWith(async () => "They spoke."),
          session,
        ),
      ),
    ).toContain("They spoke.");
  });
});
