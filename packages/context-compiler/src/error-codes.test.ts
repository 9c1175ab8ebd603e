import { createScriptedModel } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";

import { createSummarizer } from "./compile/create-summarizer.ts";
import { fitMessages } from "./fit/fit-messages.ts";
import { checkerOf } from "./tool-interrupt/checker-of.ts";

const task = { role: "user" as const, content: "Find the order." };

describe("what callers get wrong", () => {
  it("is named: a state that fitMessages never gave", () => {
    const { state } = fitMessages([task], { budget: 1_000 });
    const damaged = { ...state, tools: 7 };
    // @ts-expect-error as it may come out of a store
    expect(() => fitMessages([task], { budget: 1_000, state: damaged })).toThrow(
      expect.objectContaining({ code: "invalid_state" }),
    );
  });

  it("is named: a tool's schema that does not compile", () => {
    expect(() => checkerOf("read", { type: "nothing" })).toThrow(
      expect.objectContaining({
        code: "invalid_schema",
        message: expect.stringContaining('"read"'),
      }),
    );
  });

  it("is named: notes of a model that fit no schema", async () => {
    const summarize = createSummarizer({ model: createScriptedModel(["no", "no", "no", "no"]) });
    await expect(summarize({ messages: [task] })).rejects.toMatchObject({ code: "summary_failed" });
  });
});
