import { readFileSync } from "node:fs";

import { createScriptedModel } from "@ccl/core/testing";
import { generateObject as generateObject7 } from "ai-v7";
import { MockLanguageModelV4 } from "ai-v7/test";
import { MockLanguageModelV3 } from "ai/test";
import { expect, it } from "vitest";
import { z } from "zod";

import { askCity as askAiSdk } from "../test-support/readme/ai-sdk.ts";
import { askCity as askArkType } from "../test-support/readme/arktype.ts";
import { askCity as askValibot } from "../test-support/readme/valibot.ts";
import { askCity as askZod } from "../test-support/readme/zod.ts";
import { extractJson } from "./index.ts";

const broken = 'Here: {name: "Ulm", inhabitants: 128000,} Anything else?';
const ulm = { name: "Ulm", inhabitants: 128_000 };

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const answer = (text: string) => ({
  content: [{ type: "text" as const, text }],
  finishReason: { unified: "stop" as const, raw: "stop" },
  usage,
  warnings: [],
});

it.each(["ai-sdk", "zod", "valibot", "arktype"])("shows the program for %s as it runs", (name) => {
  const read = (file: string): string => readFileSync(new URL(file, import.meta.url), "utf8");
  const program = read(`../test-support/readme/${name}.ts`);
  expect(read("../README.md")).toContain(`\`\`\`ts\n${program}\`\`\``);
});

it("repairs what generateObject of the AI SDK 6 can't read", async () => {
  const model = new MockLanguageModelV3({ doGenerate: async () => answer(broken) });
  expect(await askAiSdk(model)).toEqual(ulm);
});

it("repairs what generateObject of the AI SDK 7 can't read, which throws without", async () => {
  const schema = z.object({ name: z.string(), inhabitants: z.int() });
  const model = new MockLanguageModelV4({ doGenerate: async () => answer(broken) });
  const asked = { model, schema, prompt: "Name a city." };
  const { object } = await generateObject7({
    ...asked,
    repairText: async ({ text }) => {
      const read = extractJson(text, { accept: (value) => schema.safeParse(value).success });
      return read.ok ? JSON.stringify(read.value.value) : null;
    },
  });
  expect(object).toEqual(ulm);
  await expect(generateObject7(asked)).rejects.toThrow("could not parse the response");
});

it.each([
  ["valibot", askValibot],
  ["arktype", askArkType],
])("asks again with what %s found wrong, and gives the checked value", async (_name, ask) => {
  const model = createScriptedModel(['{"name":"Ulm","inhabitants":"many"}', broken]);
  expect(await ask(model)).toEqual(ulm);
  expect(JSON.stringify(model.requests[0]?.responseFormat)).toContain("inhabitants");
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("/inhabitants");
});

it("asks for what zod takes in, and gives what it puts out", async () => {
  const model = createScriptedModel(['{"name":"Ulm","founded":"0854-07-22"}']);
  expect(await askZod(model)).toEqual({ name: "Ulm", founded: 854 });
});
