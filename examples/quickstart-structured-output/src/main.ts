import assert from "node:assert/strict";

import { LanguageModelError } from "@ccl/core";
import { explainModelFailure } from "@ccl/providers/environment";
import { generateStructured, type StructuredAttempt } from "@ccl/structured-output";
import { z } from "zod";

import { type Endpoint, openEndpoints } from "./open-endpoints.ts";

const answerSchema = z.object({
  cities: z
    .array(z.object({ name: z.string().min(1), inhabitants: z.int().min(0).optional() }))
    .min(2),
});

function printAttempt({
  format,
  isRepair,
  finishReason,
  issues,
  repairs,
}: StructuredAttempt): void {
  console.log(`${isRepair ? "repair" : "answer"} by ${format}: ${finishReason ?? "refused"}`);
  for (const { code, path, message } of issues)
    console.log(`  ${code} at /${path.join("/")}: ${message}`);
  for (const { kind, position } of repairs) console.log(`  repaired ${kind} at ${position}`);
}

async function ask({ name, model, expectedFormats }: Endpoint): Promise<void> {
  console.log(`\n${name}`);
  const result = await generateStructured(model, {
    schema: answerSchema,
    messages: [{ role: "user", content: "Name two German cities and how many people live there." }],
    onAttempt: printAttempt,
  });
  if (!result.ok)
    throw new LanguageModelError(
      "provider_error",
      `Its answer does not fit the schema: ${result.issues.map(({ message }) => message).join(" ")}`,
    );
  const { inputTokens, outputTokens } = result.usage;
  console.log(`${JSON.stringify(result.value)}\n${inputTokens} tokens in, ${outputTokens} out`);
  assert.ok(answerSchema.safeParse(result.value).success, "and zod agrees");
  if (expectedFormats === undefined) return;
  const formats = result.attempts.map(({ format }) => format);
  assert.deepEqual(formats, expectedFormats, "each rung was taken as scripted");
  assert.deepEqual(result.value, {
    cities: [{ name: "Ulm", inhabitants: 129_000 }, { name: "Bonn" }],
  });
  assert.equal(result.attempts.at(-1)?.repairs.length, 1, "a comma too many was repaired");
}

process.on("uncaughtException", (error) => {
  console.error(explainModelFailure(error) ?? error);
  process.exit(1);
});

const endpoints = await openEndpoints();
try {
  for (const endpoint of endpoints) await ask(endpoint);
} finally {
  await Promise.all(endpoints.map((endpoint) => endpoint.close()));
}
