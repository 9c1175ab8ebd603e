import { createScriptedModel } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";

import { createSummarizer } from "./compile/create-summarizer.ts";
import { fitMessages } from "./fit/fit-messages.ts";
import { checkerOf } from "./tool-interrupt/checker-of.ts";

const task = { role: "user" as const, content: "Find the order." };

describe("a caller's mistake", () => {
  it("gets a typed error: a state that fitMessages did not return", () => {
    const { state } = fitMessages([task], { budget: 1_000 });
    const damaged = { ...state, tools: 7 };
    // @ts-expect-error -- a store may return this
    expect(() => fitMessages([task], { budget: 1_000, state: damaged })).toThrow(
      expect.objectContaining({ code: "invalid_state" }),
    );
  });

  it("gets a typed error: a tool's schema that does not compile", () => {
    expect(() => checkerOf("read", { type: "nothing" })).toThrow(
      expect.objectContaining({
        code: "invalid_schema",
        message: expect.stringContaining('"read"'),
      }),
    );
  });

  it("gets a typed error: a model's summary that does not fit the schema", async () => {
    const summarize = createSummarizer({ model: createScriptedModel(["no", "no", "no", "no"]) });
    await expect(summarize({ messages: [task] })).rejects.toMatchObject({ code: "summary_failed" });
  });
});
