import { createScriptedModel } from "@ccl/core/testing";
import type { ContextRecord } from "@ccl/core/tracing";
import { expect, it } from "vitest";

import { defineProfile } from "../define/define-profile.ts";
import { custom } from "../define/operations.ts";
import { createRunEngine } from "./create-run-engine.ts";

it("records what the main call was sent, what was added, and what the provider reported", async () => {
  const records: ContextRecord[] = [];
  const insert = custom(async () => ({
    status: "done",
    effects: [
      {
        type: "prompt.insert",
        anchor: "last_user",
        place: "before",
        role: "user",
        content: "Be brief.",
      },
    ],
  }));
  const engine = createRunEngine({
    mainModel: createScriptedModel([
      { text: "Hello.", usage: { inputTokens: 40, outputTokens: 2 } },
    ]),
    turn: { system: "You greet." },
    profile: defineProfile({ id: "p", operations: { insert } }),
    record: { add: (record) => void records.push(record) },
  });
  await (
    await engine.start({ chatId: "c", message: "Hi" })
  ).result;
  const [sent, reported] = records;
  expect(sent).toMatchObject({ source: "operations", session: "c" });
  expect(sent?.parts.map(({ kind, text, sent: shown }) => [kind, text, shown?.form])).toEqual([
    ["system", "You greet.", undefined],
    ["user", undefined, "added"],
    ["user", "Hi", undefined],
  ]);
  expect(reported).toEqual({ ...sent, reported: { total: 40, cached: 0 } });
});
