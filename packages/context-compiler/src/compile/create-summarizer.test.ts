import { estimatedCounter } from "@ccl/core";
import { createScriptedModel, type ScriptedResponse } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";
import { promptFault, textOf } from "../../test-support/prompt-fault.ts";
import { exact, recordTurns, sampleSession } from "../../test-support/sample-session.ts";
import { createContextCompiler } from "./create-context-compiler.ts";
import { createSummarizer } from "./create-summarizer.ts";
import type { WorkingContext } from "./working-context.ts";

const notes = (own: Partial<Record<string, unknown>>): string =>
  JSON.stringify({ requirements: [], decisions: [], facts: [], open: [], ...own });
const messages = [
  { role: "user" as const, content: "Move order R-7 to Friday, but never call the customer." },
  { role: "assistant" as const, content: "R-7 was moved to 2026-11-27." },
];

async function compileWith(script: ScriptedResponse[], turns = 20) {
  const session = sampleSession();
  await recordTurns(session, 0, turns);
  const model = createScriptedModel(script);
  const compiler = createContextCompiler({
    counter: exact,
    summarize: createSummarizer({ model }),
  });
  const compile = (): Promise<WorkingContext> =>
    compiler.compile(session, { budget: 1_500, systemPrompt: "You help." });
  return { session, model, compile, context: await compile() };
}
const shownIn = (context: WorkingContext): string => context.toMessages().map(textOf).join("\n");

describe("a summarizer", () => {
  it("writes a summary by section, within its token limit, without items from outside the input", async () => {
    const answer = notes({
      requirements: ["Move R-7 to Friday.", "Never  call\nthe customer."],
      decisions: ["R-7 moved to 2026-11-27.", "R-99 was refunded."],
      facts: ["The account is 4711."],
    });
    const model = createScriptedModel([answer]);
    const text = await createSummarizer({ model })({ messages });
    expect(text).toMatchInlineSnapshot(`
      "What the user asks for:
      - Move R-7 to Friday.
      - Never call the customer.
      Decided:
      - R-7 moved to 2026-11-27."
    `);
    expect(model.requests[0]?.responseFormat).toMatchObject({ type: "json_schema" });
    const long = notes({ facts: Array.from({ length: 20 }, () => "word ".repeat(70)) });
    const short = createSummarizer({ model: createScriptedModel([long]), maxTokens: 200 });
    expect(estimatedCounter.count(await short({ messages }))).toBeLessThanOrEqual(200);
  });

  it("gives the model a part of every message within the input limit", async () => {
    const model = createScriptedModel([notes({ facts: ["All is well."] })]);
    const many = Array.from({ length: 30 }, (_, at) => ({
      role: "user" as const,
      content: `Note ${at}: ${"word ".repeat(at === 3 ? 5_000 : 20)}`,
    }));
    await createSummarizer({ model, maxInputTokens: 2_000 })({ messages: many });
    const given = textOf(model.requests[0]?.messages.at(-1) ?? { role: "user", content: "" });
    expect(estimatedCounter.count(given)).toBeLessThan(2_100);
    for (const at of [0, 3, 29]) expect(given).toContain(`Note ${at}:`);
  });

  it("continues its own summary when more is dropped, and freezes it in the prompt", async () => {
    const { session, model, compile, context } = await compileWith([
      notes({ decisions: ["R-1 is fine."] }),
      notes({ decisions: ["R-1 is fine, and so is R-20."] }),
    ]);
    expect(shownIn(context)).toContain("R-1 is fine.");
    expect((await compile()).toMessages()).toEqual(context.toMessages());
    await recordTurns(session, 20, 35);
    const later = await compile();
    expect(shownIn(later)).toContain("and so is R-20");
    expect(model.requests).toHaveLength(2);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("R-1 is fine.");
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain("Please check R-0.");
  });

  it.each<[what: string, script: ScriptedResponse[]]>([
    ["is not JSON", ["Sure! Here is", "Sorry,"]],
    ["has other members", [notes({ facts: { all: 1 } }), notes({ more: 1 })]],
    ["never ends", [notes({ facts: ["x".repeat(5_000)] }), notes({ facts: ["y".repeat(5_000)] })]],
    ["is empty", [notes({})]],
    ["names only things from outside the input", [notes({ facts: ["Order 99881 is lost."] })]],
    ["fails", [new Error("no credit")]],
    ["pollutes prototypes", ['{"__proto__":{"facts":["x"]},"constructor":1}', "null"]],
  ])("leaves the session unchanged if the answer %s", async (_, script) => {
    const { session, context } = await compileWith(script);
    expect(session.eventLog.filter(["phase_result"])).toEqual([]);
    expect(context.trace.at(-1)?.remarks).toHaveLength(1);
    expect(shownIn(context)).toContain("R-1");
    expect(promptFault(context.toMessages())).toBeUndefined();
    expect(context.tokenCount).toBeLessThanOrEqual(1_500);
  });

  it("rejects invalid options", () => {
    // @ts-expect-error -- a JavaScript caller may pass this
    expect(() => createSummarizer({})).toThrow("model");
    // @ts-expect-error -- a JavaScript caller may pass this
    expect(() => createContextCompiler({ summarize: "yes" })).toThrow("summarize is a function");
  });
});
