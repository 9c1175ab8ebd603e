import { LanguageModelError } from "@ccl/core";
import { createScriptedModel } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";

import { readState } from "../ports/chat-state.ts";
import type { OperationHandler } from "../operation/operation-definition.ts";
import {
  done,
  scenario,
  write,
  type Scenario,
  type ScenarioOperation,
} from "../../test-support/engine-scenario.ts";
import type { RunHandle } from "./live-run.ts";

const secret = `sk-proj-${"Ab3".repeat(16)}`;
const branch = { chatId: "chat", branchId: "main" };
const key = { ...branch, profileId: "profile", operationProfileSessionId: "session" };

/** What a run leaves anywhere, apart from what the user and the main model have said. */
async function tracesOf(world: Scenario, handle: RunHandle): Promise<string> {
  const heard: unknown[] = [];
  for await (const event of handle.events) heard.push(event);
  const result = await handle.result;
  const stored = await world.runs.loadRun(handle.runId);
  const { userMessage: _said, ...input } = stored?.input ?? {};
  const session = await readState(world.chat, key);
  const events = await world.runs.readEvents(handle.runId);
  return JSON.stringify([heard, events, result, { ...stored, input }, session]);
}

/** An operation of kind `llm` that renders what the user has said, keeps its rendered texts, and writes the answer. */
const asking: ScenarioOperation = {
  id: "ask",
  kind: "llm",
  hooks: ["before_main_llm"],
  order: 1,
  debug: { enabled: true },
  params: {
    providerRef: "p",
    model: "m",
    credentialRef: "credential-of-the-tenant",
    prompt: "{{ chatHistory | json }}",
    writeArtifact: { tag: "note", persisted: true, usage: "prompt_only", semantics: "state" },
    emit: [{ type: "prompt.append_after_last_user", role: "developer", source: "art.note" }],
  },
};

/** One of kind `template` that writes what the user has said. */
const rendering: ScenarioOperation = {
  id: "render",
  kind: "template",
  order: 3,
  params: {
    template: "{{ chatHistory | json }}",
    writeArtifact: { tag: "said", persisted: true, usage: "prompt_only", semantics: "state" },
  },
};

describe("secrets", () => {
  it("in what a user has said stay in the chat and the prompt, and reach nothing else", async () => {
    const asked = createScriptedModel([`I was told ${secret}.`]);
    const repeats: OperationHandler = async ({ chatHistory, draftPrompt }) =>
      done(
        {
          type: "prompt.system_update",
          mode: "append",
          content: `Told: ${JSON.stringify(chatHistory)}`,
        },
        write("seen", { [secret]: [JSON.stringify(draftPrompt), { deep: secret }] }),
      );
    const world = scenario({
      mainModel: createScriptedModel([
        new LanguageModelError("provider_error", `No: ${secret}`, { cause: secret }),
      ]),
      models: () => asked,
      promptHashKey: "key",
      operations: [
        asking,
        { id: "repeat", order: 2, dependsOn: ["ask"], writesTag: "seen", does: repeats },
        rendering,
      ],
    });
    const userMessage = `My key is ${secret}, remember it.`;
    const handle = await world.engine.start({
      ...world.start,
      message: userMessage,
      initiator: `me ${secret}`,
    });
    const traces = await tracesOf(world, handle);
    expect((await handle.result).operationRuns.map(({ status }) => status)).toEqual([
      "done",
      "done",
      "done",
    ]);
    const tags = (await readState(world.chat, key)).map(({ tag }) => tag);
    expect(tags).toEqual(["note", "said", "seen"]);
    expect((await handle.result).failedType).toBe("main_llm");
    expect(JSON.stringify(asked.requests)).toContain(secret);
    expect(traces).not.toContain("Ab3Ab3");
    expect(traces.match(/\[redacted:/g)?.length).toBeGreaterThan(6);
    expect((await world.chat.turns(branch))[0]?.userVariants).toMatchObject([
      { content: userMessage },
    ]);
    const [request] =
      "requests" in world.model && Array.isArray(world.model.requests) ? world.model.requests : [];
    const { messages } = request ?? { messages: [] };
    const holding = JSON.parse(JSON.stringify(messages)).filter(
      ({ content }: { content: string }) => content.includes("Ab3Ab3"),
    );
    expect(holding).toMatchObject([{ role: "user", content: userMessage }]);
  });

  it("in an answer are kept with the answer alone", async () => {
    const keeps: OperationHandler = async ({ main }) =>
      done(write("told", main?.text), { type: "turn.assistant_meta", meta: { text: main?.text } });
    const world = scenario({
      answers: [`Your key is ${secret}.`],
      operations: [{ id: "keep", hooks: ["after_main_llm"], writesTag: "told", does: keeps }],
    });
    const handle = await world.engine.start(world.start);
    const { status, mainLlm, artifacts } = await handle.result;
    expect([status, mainLlm.text]).toEqual(["done", `Your key is ${secret}.`]);
    expect(JSON.stringify([artifacts, await readState(world.chat, key)])).not.toContain("Ab3Ab3");
    const [turn] = await world.chat.turns(branch);
    expect(turn?.assistantVariants).toMatchObject([{ content: `Your key is ${secret}.` }]);
    expect(JSON.stringify(turn?.assistantVariants[0]?.meta)).toContain("[redacted:");
  });

  it("in params are refused before anything is stored", async () => {
    const world = scenario({ operations: [{ id: "a", params: { prompt: `Use ${secret}` } }] });
    const refusal = await world.engine.start(world.start).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "invalid_profile" });
    expect(JSON.stringify([String(refusal), refusal])).not.toContain("Ab3Ab3");
    expect((await world.runs.listRuns()).runs).toEqual([]);
    expect(await world.chat.turns(branch)).toEqual([]);
  });

  it("in errors, causes, summaries and reasons never reach events, results or stores", async () => {
    const leaky = new Error(`Bad key ${secret}`, { cause: new Error(secret) });
    const summaries = {
      inputsSummary: {
        credentialRef: secret,
        note: `x ${secret}`,
        [secret]: 1,
        deep: { list: [secret] },
      },
      outputsSummary: { rawTextPreview: `${"y".repeat(1_000)} ${secret}` },
    };
    const world = scenario({
      mainModel: createScriptedModel([leaky]),
      operations: [
        {
          id: "a",
          does: async () => {
            throw leaky;
          },
          debug: { enabled: true },
        },
        {
          id: "b",
          does: async () => ({
            status: "error",
            error: { code: "provider_error", message: secret, details: { secret } },
            debug: summaries,
          }),
        },
        {
          id: "c",
          does: async () => ({ status: "skipped", skippedReason: secret, debug: summaries }),
        },
        {
          id: "d",
          does: async () => ({ status: "done", debug: summaries }),
          debug: { enabled: true },
        },
      ],
    });
    const handle = await world.engine.start(world.start);
    const result = await handle.result;
    expect(result.status).toBe("failed");
    const stored = await world.runs.loadRun(handle.runId);
    const events = await world.runs.readEvents(handle.runId);
    const everything = JSON.stringify([
      result,
      stored,
      events,
      await world.chat.turns({ chatId: "chat", branchId: "main" }),
    ]);
    expect(everything).not.toContain("Ab3Ab3");
    expect(everything).toContain("[redacted:");
    const preview = result.operationRuns.find(({ operationId }) => operationId === "b")
      ?.outputsSummary?.["rawTextPreview"];
    expect(String(preview).length).toBeLessThanOrEqual(1_024);
  });
});
