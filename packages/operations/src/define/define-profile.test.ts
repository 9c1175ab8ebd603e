import { createScriptedModel } from "@ccl/core/testing";
import { expect, it } from "vitest";
import { z } from "zod";

import { createOperationStores } from "../stores/create-operation-stores.ts";
import { createProfileStore } from "../stores/create-profile-store.ts";
import { createOperationRegistry } from "../profile/create-operation-registry.ts";
import { createRunEngine } from "../run/create-run-engine.ts";
import { defineProfile } from "./define-profile.ts";
import { compute, custom, guard, llm, template, tool, transform } from "./operations.ts";

const pirate = defineProfile({
  id: "pirate",
  operations: {
    isQuestion: guard({ ref: "userMessages.last.content", endsWith: "?" }),
    tone: template("Talk like a pirate.", { appendTo: "system", when: "isQuestion" }),
    plain: template("Be plain.", { appendTo: "system", when: "!isQuestion" }),
    mood: compute(({ answer }) => ({ mood: answer.length }), { after: true }),
  },
});

it("gives the stored record, and the engine runs it as it is", async () => {
  expect(JSON.parse(JSON.stringify(pirate))).toMatchInlineSnapshot(`
    {
      "enabled": true,
      "name": "pirate",
      "operationProfileSessionId": "1",
      "operations": [
        {
          "config": {
            "enabled": true,
            "hooks": [
              "before_main_llm",
            ],
            "order": 1,
            "params": {
              "condition": {
                "endsWith": "?",
                "ref": "userMessages.last.content",
              },
              "writeArtifact": {
                "persisted": true,
                "semantics": "state",
                "tag": "isQuestion",
                "usage": "prompt+ui",
              },
            },
            "required": true,
          },
          "operationId": "pirate:isQuestion",
        },
        {
          "config": {
            "dependsOn": [
              "pirate:isQuestion",
            ],
            "enabled": true,
            "hooks": [
              "before_main_llm",
            ],
            "order": 2,
            "params": {
              "emit": [
                {
                  "mode": "append",
                  "separator": "

    ",
                  "type": "prompt.system_update",
                },
              ],
              "template": "Talk like a pirate.",
            },
            "required": true,
            "when": [
              {
                "ref": "art.isQuestion",
              },
            ],
          },
          "operationId": "pirate:tone",
        },
        {
          "config": {
            "dependsOn": [
              "pirate:isQuestion",
            ],
            "enabled": true,
            "hooks": [
              "before_main_llm",
            ],
            "order": 3,
            "params": {
              "emit": [
                {
                  "mode": "append",
                  "separator": "

    ",
                  "type": "prompt.system_update",
                },
              ],
              "template": "Be plain.",
            },
            "required": true,
            "when": [
              {
                "not": true,
                "ref": "art.isQuestion",
              },
            ],
          },
          "operationId": "pirate:plain",
        },
        {
          "config": {
            "enabled": true,
            "hooks": [
              "after_main_llm",
            ],
            "order": 4,
            "params": {
              "function": "pirate:mood",
              "writeArtifact": {
                "persisted": true,
                "semantics": "state",
                "tag": "mood",
                "usage": "prompt+ui",
              },
            },
            "required": true,
          },
          "operationId": "pirate:mood",
        },
      ],
      "profileId": "pirate",
    }
  `);
  const mainModel = createScriptedModel(["Arr.", "Fine."]);
  const engine = createRunEngine({ mainModel });
  const ask = async (message: string): Promise<unknown> =>
    (await (await engine.start({ chatId: "c", message, profile: pirate })).result).artifacts;
  expect(await ask("How is the weather?")).toMatchObject([
    { tag: "isQuestion", value: true },
    { tag: "mood", value: { mood: 4 } },
  ]);
  await ask("Good.");
  const systems = mainModel.requests.map(({ messages }) => messages[0]?.content);
  expect(systems).toEqual(["Talk like a pirate.", "Be plain."]);
});

it("runs every kind, an llm without a model by the main one", async () => {
  const dice = {
    name: "dice",
    description: "Rolls a die.",
    inputSchema: { type: "object" },
    execute: async () => ({ rolled: 4 }),
  };
  const profile = defineProfile({
    id: "all",
    operations: {
      roll: tool(dice, { args: { sides: "6" } }),
      told: template("Rolled {{ art.roll.rolled }}.", { appendTo: "user", dependsOn: ["roll"] }),
      loud: transform([{ use: "x:none" }], { required: false }),
      tags: llm("Tag: {{ main.text }}", {
        after: true,
        schema: z.object({ tags: z.array(z.string()) }),
      }),
      own: custom(
        async ({ main }) => ({
          status: "done",
          effects: [{ type: "turn.assistant_meta", meta: { length: main?.text.length } }],
        }),
        { after: true },
      ),
    },
  });
  const { runs, chat } = createOperationStores();
  const mainModel = createScriptedModel(["Four!", '{"tags":["dice"]}']);
  const engine = createRunEngine({ mainModel, runs, recover: false });
  const result = await (await engine.start({ chatId: "c", message: "Roll.", profile })).result;
  expect(result.status).toBe("done");
  expect(mainModel.requests[0]?.messages.at(-1)?.content).toBe("Rolled 4.");
  expect(result.artifacts.map(({ tag, value }) => [tag, value])).toEqual([
    ["roll", { rolled: 4 }],
    ["tags", { tags: ["dice"] }],
  ]);
  const [turn] = await chat.turns({ chatId: "c", branchId: "main" });
  expect(turn?.assistantVariants[0]?.meta).toEqual({ length: 5 });
});

it("stores a profile, and finds its operations by a registry that has it", async () => {
  const profiles = createProfileStore();
  const mainModel = createScriptedModel(["Arr."]);
  await createRunEngine({ mainModel, profiles }).saveProfile(pirate);
  const start = { chatId: "c", message: "Who?", profileRef: "pirate" };
  const registry = createOperationRegistry();
  await expect(createRunEngine({ mainModel, profiles, registry }).start(start)).rejects.toThrow(
    "is not registered",
  );
  registry.define(pirate);
  const run = await createRunEngine({ mainModel, profiles, registry }).start(start);
  expect((await run.result).status).toBe("done");
});

it("replaces the operations of a profile that is defined again", async () => {
  const define = (mood: string) =>
    defineProfile({ id: "p", operations: { mood: compute(() => mood, { after: true }) } });
  const engine = createRunEngine({ mainModel: createScriptedModel(["1", "2", "3"]) });
  const [first, second] = [define("first"), define("second")];
  const values: unknown[] = [];
  for (const profile of [first, second, first]) {
    const run = await engine.start({ chatId: "c", message: "Hi.", profile });
    values.push((await run.result).artifacts[0]?.value);
  }
  expect(values).toEqual(["first", "second", "first"]);
});

it("refuses a name that the profile does not have", () => {
  const operations = { tone: template("Hi.", { when: "isQestion" }) };
  expect(() => defineProfile({ id: "p", operations })).toThrow(
    'Operation "tone" names "isQestion", which the profile does not have; it has tone.',
  );
});
