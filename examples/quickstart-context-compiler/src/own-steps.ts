import assert from "node:assert/strict";

import {
  artifactAttacher,
  compactor,
  type ContextProcessor,
  createContextCompiler,
  createSession,
  createSummarizer,
  historySelector,
  memoryPreloader,
  recordMessages,
  sessionFromEvidencePack,
} from "@ccl/context-compiler";
import type { ChatMessage } from "@ccl/core";

import { openModel } from "./open-model.ts";

const transcript: ChatMessage[] = [
  { role: "user", content: "Check the orders, and never cancel one." },
  ...Array.from({ length: 60 }, (_, at): ChatMessage => {
    const role = at % 2 === 0 ? "assistant" : "user";
    return { role, content: `Order O-${at}: ${"it is on its way. ".repeat(12)}` };
  }),
];

const today: ContextProcessor = {
  name: "today",
  process: ({ context }) => context.with({ volatile: "Today is 2026-03-01." }),
};

/** Compiles a transcript with a custom step between the usual ones, and proves what was recorded. */
export async function showOwnSteps(): Promise<void> {
  const session = createSession();
  await recordMessages(session, transcript);
  assert.deepEqual(await recordMessages(session, transcript), [], "nothing is recorded twice");
  const notes = { requirements: ["Never cancel an order."], decisions: [], facts: [], open: [] };
  const answer = { type: "answer" as const, text: JSON.stringify(notes) };
  const { model, close } = await openModel([answer, answer, answer]);
  const compiler = createContextCompiler({
    processors: [
      artifactAttacher(),
      compactor({ summarize: createSummarizer({ model }) }),
      memoryPreloader(),
      today,
      historySelector(),
    ],
  });
  const context = await compiler
    .compile(session, { budget: 2_000, systemPrompt: "You look after orders." })
    .finally(close);
  for (const { processor, tokensBefore, tokensAfter } of context.trace)
    console.log(`${processor}: ${tokensBefore} tokens before, ${tokensAfter} after`);
  assert.ok(context.isWithinBudget(), "the prompt is within its budget");
  const texts = context.toMessages().map(({ content }) => String(content));
  assert.ok(texts.at(-1)?.includes("2026-03-01"), "what the own step added stands last");
  const written = Array.from(session.eventLog).find(({ kind }) => kind === "phase_result");
  assert.ok(
    written?.kind === "phase_result" && written.data.summary !== undefined,
    "the model's notes are in the log",
  );
  const pack = session.toEvidencePack();
  const again = await sessionFromEvidencePack(pack, { events: session.eventLog.slice() });
  assert.deepEqual(again.toEvidencePack(), pack, "the pack proves the session made of it");
  console.log(`${pack.entries.length} events proved by one hash`);
}
