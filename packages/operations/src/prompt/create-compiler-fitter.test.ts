import { type ChatMessage, countMessages, estimatedCounter } from "@ccl/core";
import { createScriptedModel } from "@ccl/core/testing";
import { expect, it } from "vitest";

import { defineProfile } from "../define/define-profile.ts";
import { compute, template } from "../define/operations.ts";
import { createOperationStores } from "../stores/create-operation-stores.ts";
import type { PromptFitter } from "../ports/prompt-fitter.ts";
import { createRunEngine } from "../run/create-run-engine.ts";

const budget = 4_000;
const words = "harbour lantern winter copper meadow signal orchard thunder velvet compass".split(
  " ",
);

/** A text of some 40 to 120 words, the same for the same number. */
function textOf(seed: number): string {
  const length = 40 + ((seed * 37) % 80);
  return Array.from({ length }, (_, at) => words[(seed * 7 + at * at) % words.length]).join(" ");
}

/** Each turn has another hint behind the user's message, and state that an earlier turn has left. */
const profile = defineProfile({
  id: "story",
  operations: {
    rules: template("You tell a story.", { appendTo: "system" }),
    hint: template("Hint {{ art.turn.count }}: mention the {{ art.turn.count }}th wave.", {
      appendTo: "user",
    }),
    turn: compute(({ art }) => ({ count: countOf(art["turn"]) + 1 }), { after: true }),
  },
});

function countOf(value: unknown): number {
  return typeof value === "object" && value !== null && "count" in value ? Number(value.count) : 0;
}

interface Measured {
  /** Of each prompt after the first, the share of the tokens of the one before that it begins with; over all turns. */
  keptShare: number;
  over: number;
  hints: number;
}

async function tell(turns: number, promptFitter?: PromptFitter): Promise<Measured> {
  const mainModel = createScriptedModel(Array.from({ length: turns }, (_, at) => textOf(at + 500)));
  const limits = { prompt: { counter: estimatedCounter, budget } };
  const engine = createRunEngine({ mainModel, limits, promptFitter });
  for (let turn = 0; turn < turns; turn += 1) {
    const run = await engine.start({ chatId: "c", message: textOf(turn), profile });
    expect((await run.result).status).toBe("done");
  }
  const prompts = mainModel.requests.map(({ messages }) => messages);
  const count = (messages: readonly ChatMessage[]): number =>
    countMessages((text) => estimatedCounter.count(text), messages);
  let [kept, total, over, hints] = [0, 0, 0, 0];
  for (const [at, messages] of prompts.entries()) {
    if (count(messages) > budget * 0.9) over += 1;
    if (messages.some(({ content }) => content === `Hint ${at}: mention the ${at}th wave.`))
      hints += 1;
    const before = prompts[at - 1];
    if (before === undefined) continue;
    const same = before.findIndex(
      (message, index) => JSON.stringify(message) !== JSON.stringify(messages[index]),
    );
    // The hint of the turn before is gone, as it has to be.
    total += count(messages);
    kept += count(before.slice(0, same < 0 ? before.length : same));
  }
  return { keptShare: kept / total, over, hints };
}

/** Cuts as little as it can, anew for each turn. */
const sliding: PromptFitter = {
  async fit({ messages: [system, ...history], budget: most, counter }) {
    const count = (messages: readonly (ChatMessage | undefined)[]): number =>
      countMessages(
        (text) => counter.count(text),
        messages.filter((one) => one !== undefined),
      );
    while (count([system, ...history]) > most) history.shift();
    return system === undefined ? history : [system, ...history];
  },
};

it("keeps the prefix of the turn before over 200 turns, within the budget, with each turn's inserts", async () => {
  const fitted = await tell(200);
  const slid = await tell(60, sliding);
  expect(fitted).toMatchObject({ over: 0, hints: 199 });
  expect(fitted.keptShare).toBeGreaterThan(0.8);
  expect(slid.keptShare).toBeLessThan(0.2);
}, 120_000);

it.each(["edited", "deleted"])(
  "shows nothing of a message that was cut and then %s",
  async (change) => {
    const secret = "ZX-4711";
    const mainModel = createScriptedModel(Array.from({ length: 42 }, (_, at) => textOf(at + 500)));
    const limits = { prompt: { counter: estimatedCounter, budget: 3_000 } };
    const { runs, chat } = createOperationStores();
    const engine = createRunEngine({ mainModel, limits, runs, recover: false });
    const branch = { chatId: "c", branchId: "main" };
    const say = async (turn: number): Promise<string> => {
      const message = turn === 1 ? `The order number is ${secret}.` : "Go on.";
      const run = await engine.start({ ...branch, message, userMessageId: `u${turn}` });
      expect((await run.result).status).toBe("done");
      return JSON.stringify(mainModel.requests.at(-1)?.messages);
    };
    let prompt = "";
    for (let turn = 0; turn < 40; turn += 1) prompt = await say(turn);
    // It is cut, and what stands for it names it.
    expect(prompt).not.toContain('"id":"u1"');
    expect(prompt).toContain(secret);
    const turn = { ...branch, userMessageId: "u1", variantId: "u1" };
    if (change === "edited")
      await chat.editTurn({ ...turn, type: "edit", content: "No order yet." });
    else await chat.deleteTurns({ ...branch, from: "u1", to: "u1" });
    expect(await say(40)).not.toContain(secret);
  },
);
