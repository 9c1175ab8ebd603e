import { createMemoryArtifactStore } from "@ccl/artifact-store";
import { describe, expect, it } from "vitest";

import { textOf } from "../../test-support/prompt-fault.ts";
import { createSession } from "../session/create-session.ts";
import { createContextCompiler } from "./create-context-compiler.ts";

const log = Array.from({ length: 3_000 }, (_, at) =>
  at === 1_700
    ? "10:41:07 ERROR worker 3: disk full on vol-7"
    : `10:${10 + (at % 50)}:00 INFO worker ${at % 9}: took job ${at * 17}`,
).join("\n");
const orders = JSON.stringify(
  Array.from({ length: 900 }, (_, at) => ({
    id: `o-${at}`,
    total: (at * 37) % 400,
    state: "paid",
  })),
);

/** The part of a result, larger than the prompt, that the prompt shows. */
async function shownOf(content: string, question: string): Promise<string> {
  const session = createSession({ artifactStore: createMemoryArtifactStore() });
  await session.record("user_input", { content: question });
  await session.record("tool_call", { callId: "c1", name: "read", arguments: "{}" });
  await session.record("tool_success", { callId: "c1", content });
  const context = await createContextCompiler().compile(session, {
    budget: 1_500,
    systemPrompt: "You help.",
  });
  const result = context.toMessages().find(({ role }) => role === "tool");
  expect(context.artifactRefs).toHaveLength(1);
  expect(result && textOf(result)).toContain(context.artifactRefs[0]?.artifactId.slice(0, 12));
  return result === undefined ? "" : textOf(result);
}

describe("a result that is larger than the prompt", () => {
  it("shows its errors, with a count of its lines and the line number", async () => {
    const shown = await shownOf(log, "Why do jobs fail?");
    expect(shown).toMatch(/\[\d+ of 3000 lines/);
    expect(shown).toMatch(/^1701: .*ERROR worker 3: disk full on vol-7$/m);
  });

  it("shows the rows that the question is about, with a count of its rows", async () => {
    const shown = await shownOf(orders, "What was the total of o-437?");
    expect(shown).toMatch(/900 rows, all state=paid \(\d+ shown\)/);
    expect(shown).toMatch(/^438\|o-437\|169$/m);
    const other = await shownOf(orders, "What was the total of o-612?");
    expect(other).not.toContain("o-437|");
  });
});
