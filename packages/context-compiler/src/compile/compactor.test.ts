import { describe, expect, it } from "vitest";
import type { EventDraft } from "../session/event-input.ts";
import { exact, sampleSession, words } from "../../test-support/sample-session.ts";
import { compactor, type CompactorOptions } from "./compactor.ts";
import { createContextCompiler } from "./create-context-compiler.ts";

async function compactedContents(
  drafts: readonly EventDraft[],
  options: CompactorOptions = {},
): Promise<unknown[]> {
  const session = sampleSession();
  await session.recordAll(drafts);
  const compiler = createContextCompiler({ counter: exact, processors: [compactor(options)] });
  const { history } = await compiler.compile(session, { budget: 4_000, systemPrompt: "" });
  return history.map(({ content }) => content);
}

const said = (content: string, source?: string): EventDraft => {
  return { kind: "user_input", data: { content, source } };
};
const answered = (content: string): EventDraft => ({
  kind: "assistant_message",
  data: { content },
});

describe("a compactor", () => {
  it("trims the end of a message but not its beginning, which may be code indentation", async () => {
    expect(await compactedContents([said("  if x:\n    y \u00a0\n\n")])).toEqual([
      "  if x:\n    y",
    ]);
  });

  it("joins consecutive short messages of one speaker, and no others", async () => {
    const drafts = [
      said("Hello."),
      said(""),
      said("Are you there?"),
      answered("Yes."),
      answered("Go on."),
      said("Well."),
    ];
    expect(await compactedContents(drafts)).toEqual([
      "Hello.\n\nAre you there?",
      "Yes.\n\nGo on.",
      "Well.",
    ]);
    expect(await compactedContents([said("The task.", "task"), said("More.")])).toEqual([
      "The task.",
      "More.",
    ]);
    expect(await compactedContents([said(words(400)), said("More.")])).toHaveLength(2);
  });

  it("cuts over-long messages and parts in the middle, with a marker", async () => {
    const long = `first ${words(500)} last`;
    const parts: EventDraft = {
      kind: "user_input",
      data: { content: [{ type: "text", text: long }] },
    };
    const [text, listed] = await compactedContents(
      [said(long), answered("So."), parts].toSpliced(1, 1),
      {
        maxMessageTokens: 60,
      },
    );
    expect(text).toMatch(/^first word.*\[.*removed.*\].*last$/s);
    expect(listed).toEqual([
      { type: "text", text: expect.stringMatching(/^first .*removed.* last$/s) },
    ]);
  });

  it("leaves signed reasoning unchanged", async () => {
    const content = [
      { type: "reasoning" as const, text: `${words(300)} `, signature: "s" },
      { type: "text" as const, text: "So. " },
    ];
    const compacted = await compactedContents(
      [said("Why?"), { kind: "assistant_message", data: { content } }],
      {
        maxMessageTokens: 50,
      },
    );
    expect(compacted[1]).toEqual([content[0], { type: "text", text: "So." }]);
  });
});
