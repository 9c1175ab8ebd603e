import { expect, it } from "vitest";

import { createScriptedModel } from "../../packages/core/src/testing/index.ts";
import {
  createBuiltinOperations,
  createOperationStores,
  createOperationRegistry,
  createRunEngine,
} from "../../packages/operations/src/index.ts";
import { paramsSchemaOf } from "../../packages/operations/src/kinds/kinds.ts";
import { validateProfile } from "../../packages/operations/src/profile/validate-profile.ts";
import { exampleRecord, kindExamples } from "./operation-kind-examples.mjs";
import { kindsPage } from "./operation-kinds.mjs";

const kinds = Object.keys(kindExamples);
const models = () => createScriptedModel(['{"mood":"curious"}']);
const builtin = createBuiltinOperations({
  models,
  functions: { addTax: { run: ({ net }) => ({ gross: net * 1.2 }) } },
  retriever: {
    retrieve: async () => [{ title: "Oslo", source: "climate.md", text: "It rains a lot." }],
  },
  tools: [
    {
      name: "weather",
      description: "The weather of a city",
      inputSchema: { type: "object", properties: { city: { const: "Oslo" } }, required: ["city"] },
      execute: async ({ city }) => ({ city, sky: "rain" }),
    },
  ],
});

function profileOf(record) {
  return {
    profileId: "example",
    name: "Example",
    enabled: true,
    operationProfileSessionId: "1",
    operations: [record],
    turn: { system: "Be kind.", vars: { name: "Ann", city: "Oslo" } },
  };
}

/** The outcome of an example's run, as a sentence. */
async function resultOf(kind) {
  const registry = createOperationRegistry();
  const record = exampleRecord(kind);
  const { operationId } = record;
  const definition = { operationId, kind, name: operationId, paramsSchema: "kind" };
  registry.register(definition, builtin.handlers[kind]);
  const profile = profileOf(record);
  expect(validateProfile(profile, registry)).toMatchObject({ ok: true });
  const { runs, chat } = createOperationStores();
  let system;
  const engine = createRunEngine({
    mainModel: createScriptedModel([" Much rain. "]),
    registry,
    runs,
    recover: false,
    onPrompt: ({ messages }) => {
      system = messages[0].content;
    },
  });
  const run = await engine.start({ chatId: "c", message: "How is the weather?", profile });
  let answered = "It";
  for await (const { type } of run.events) {
    if (type !== "operation.waiting") continue;
    await engine.answer(run.runId, { operation: operationId, value: true });
    answered = "Answered with `true`, it";
  }
  const result = await run.result;
  expect(result).toMatchObject({
    status: "done",
    operationRuns: [{ operationId, status: "done" }],
  });
  const [artifact] = result.artifacts;
  if (artifact !== undefined)
    return `${answered} gives \`art.${artifact.tag}\` the value \`${JSON.stringify(artifact.value)}\`.`;
  if (system !== "Be kind.") return `The system prompt is then \`${JSON.stringify(system)}\`.`;
  const [turn] = await chat.turns({ chatId: "c", branchId: "main" });
  const { content } = turn.assistantVariants[turn.selectedAssistant];
  return `The answer is then \`${JSON.stringify(content)}\`.`;
}

it("runs an example of each kind, and finds the page up to date", async () => {
  const schemas = Object.fromEntries(kinds.map((kind) => [kind, paramsSchemaOf(kind)]));
  const records = Object.fromEntries(kinds.map((kind) => [kind, exampleRecord(kind)]));
  const results = {};
  for (const kind of kinds) results[kind] = await resultOf(kind);
  expect(kinds.toSorted()).toEqual(Object.keys(builtin.handlers).toSorted());
  const page = kindsPage(kindExamples, { schemas, records, results });
  await expect(page).toMatchFileSnapshot("../../docs/reference/operation-kinds.md");
});
