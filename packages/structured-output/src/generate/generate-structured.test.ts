import { LanguageModelError, type LanguageModelErrorCode } from "@ccl/core";
import { createScriptedModel, type ScriptedResponse } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { createFormatLadder } from "./format-ladder.ts";
import {
  generateStructured,
  type GenerateStructuredOptions,
  type StructuredAttempt,
  type StructuredResult,
} from "./generate-structured.ts";

const city = z.object({ name: z.string(), people: z.int().optional() });
type City = z.infer<typeof city>;
const messages = [
  { role: "system", content: "You know cities." },
  { role: "user", content: "Name one." },
] as const;
const refused = new LanguageModelError("unsupported_response_format", "No such format.");

async function run(
  responses: ScriptedResponse[],
  options: Partial<GenerateStructuredOptions<City>> = {},
): Promise<{
  result: StructuredResult<City>;
  requests: ReturnType<typeof createScriptedModel>["requests"];
}> {
  const model = createScriptedModel(responses);
  const result = await generateStructured(model, { schema: city, messages, ...options });
  return { result, requests: model.requests };
}

describe("generateStructured", () => {
  it("sends the strict schema and decodes the answer", async () => {
    const { result, requests } = await run(['{"name":"Ulm","people":null}']);
    expect(result).toMatchObject({ ok: true, value: { name: "Ulm" }, format: "json_schema" });
    expect(requests[0]).toMatchObject({
      messages,
      responseFormat: { type: "json_schema", name: "answer", strict: true },
    });
  });

  it("steps down to the prompt, rung by rung, and tells the model the schema there", async () => {
    const { result, requests } = await run([refused, refused, '{"name":"Ulm"}']);
    expect(result).toMatchObject({ ok: true, value: { name: "Ulm" }, format: "none" });
    expect(requests.map((request) => request.responseFormat?.type)).toEqual([
      "json_schema",
      "json_object",
      undefined,
    ]);
    expect(
      result.attempts.map(({ format, issues }) => [format, issues.map((issue) => issue.code)]),
    ).toEqual([
      ["json_schema", ["unsupported_response_format"]],
      ["json_object", ["unsupported_response_format"]],
      ["none", []],
    ]);
    expect(requests[2]?.messages).toMatchInlineSnapshot(`
      [
        {
          "content": "You know cities.

      Answer with one JSON value and nothing else: no prose and no code fence. It must fit this JSON Schema:
      {"type":"object","properties":{"name":{"type":"string"},"people":{"type":"integer"}},"required":["name"]}",
          "role": "system",
        },
        {
          "content": "Name one.",
          "role": "user",
        },
      ]
    `);
  });

  it("remembers a refusal for the model", async () => {
    const model = createScriptedModel([refused, '{"name":"Ulm"}', '{"name":"Bonn"}']);
    await generateStructured(model, { schema: city, messages });
    const second = await generateStructured(model, { schema: city, messages });
    expect(second).toMatchObject({ ok: true, value: { name: "Bonn" }, format: "json_object" });
    expect(second.attempts).toHaveLength(1);
  });

  it("remembers a refusal in a shared ladder for another object of the same model", async () => {
    const ladder = createFormatLadder();
    await run([refused, '{"name":"Ulm"}'], { ladder });
    const { result } = await run(['{"name":"Ulm"}'], { ladder });
    expect(result.format).toBe("json_object");
  });

  it("asks by the prompt alone in best-effort mode", async () => {
    const { result, requests } = await run(['Sure:\n```json\n{"name":"Ulm",}\n```'], {
      mode: "best-effort",
    });
    expect(result).toMatchObject({ ok: true, value: { name: "Ulm" }, format: "none" });
    expect(result.attempts[0]?.repairs).toHaveLength(1);
    expect(requests[0]?.responseFormat).toBeUndefined();
  });

  it("wraps a root that is no object in JSON mode as well", async () => {
    const model = createScriptedModel([refused, '{"value":["a"]}']);
    const result = await generateStructured(model, { schema: z.array(z.string()), messages });
    expect(result).toMatchObject({ ok: true, value: ["a"], format: "json_object" });
  });

  it("takes the domain's shape from a provider that ignores the format", async () => {
    const schema = z.object({ scores: z.record(z.string(), z.number()) });
    const model = createScriptedModel(['{"scores":{"a":1}}']);
    expect(await generateStructured(model, { schema, messages })).toMatchObject({
      ok: true,
      value: { scores: { a: 1 } },
    });
  });

  it("repairs once with the issues, and sums what it took", async () => {
    const usage = { inputTokens: 10, outputTokens: 3, cachedInputTokens: 4 };
    const attempts: StructuredAttempt[] = [];
    const { result, requests } = await run(
      [
        { text: '{"name":1,"people":"x"}', usage, requestId: "r1" },
        { text: '{"name":"Ulm","people":7}', usage: { inputTokens: 20, outputTokens: 5 } },
      ],
      { onAttempt: (attempt) => attempts.push(attempt) },
    );
    expect(result).toMatchObject({ ok: true, value: { name: "Ulm", people: 7 } });
    expect(result.usage).toEqual({ inputTokens: 30, outputTokens: 8, cachedInputTokens: 4 });
    expect(result.attempts.map(({ isRepair, requestId }) => [isRepair, requestId])).toEqual([
      [false, "r1"],
      [true, undefined],
    ]);
    expect(attempts).toEqual(result.attempts);
    expect(requests[1]?.messages.slice(2)).toMatchInlineSnapshot(`
      [
        {
          "content": "{"name":1,"people":"x"}",
          "role": "assistant",
        },
        {
          "content": "Your answer cannot be used:
      - /name [ERR_SCHEMA_VALIDATION] invalid_type: Invalid input: expected string, received number (got 1)
      - /people [ERR_SCHEMA_VALIDATION] invalid_type: Invalid input: expected number, received string (got "x")
      Answer again with the whole corrected JSON value and nothing else: no prose and no code fence.
      The JSON Schema is:
      {"type":"object","properties":{"name":{"type":"string"},"people":{"anyOf":[{"type":"integer"},{"type":"null"}]}},"required":["name","people"],"additionalProperties":false}",
          "role": "user",
        },
      ]
    `);
  });

  it.each([
    [0, 1],
    [1, 2],
    [3, 4],
  ])("gives up after %i repairs with the issues of the last answer", async (maxRepairs, calls) => {
    const { result, requests } = await run(
      Array.from({ length: 5 }, () => '{"name":{}}'),
      { maxRepairs },
    );
    expect(result).toMatchObject({
      ok: false,
      issues: [{ code: "ERR_SCHEMA_VALIDATION", path: ["name"] }],
    });
    expect(requests).toHaveLength(calls);
  });

  it("does not count refused formats as repairs", async () => {
    const { result } = await run([refused, '{"name":{}}', '{"name":"Ulm"}']);
    expect(result.ok).toBe(true);
    expect(result.attempts).toHaveLength(3);
  });

  describe("after a cut", () => {
    const cut = { text: '{"name":"Ul', finishReason: "length" } as const;
    const bestEffort = { mode: "best-effort" } as const;

    it.each([
      ["the rest", 'm","people":3}'],
      ["the rest in a fence", '```json\nm","people":3}'],
      ["the whole again", '{"name":"Ulm","people":3}'],
    ])("takes %s", async (_name, text) => {
      const { result, requests } = await run([cut, text], bestEffort);
      expect(result).toMatchObject({ ok: true, value: { name: "Ulm", people: 3 } });
      expect(requests[1]?.messages.at(-1)?.content).toContain("Go on exactly where it stopped");
    });

    it("joins three pieces", async () => {
      const pieces = [cut, { text: 'm","peo', finishReason: "length" as const }, 'ple":3}'];
      const { result } = await run(pieces, { ...bestEffort, maxRepairs: 2 });
      expect(result).toMatchObject({ ok: true, value: { name: "Ulm", people: 3 } });
    });

    it("never takes a cut answer, however often it is cut", async () => {
      const { result } = await run(
        [cut, { text: '{"name":"Ulm"}', finishReason: "length" }],
        bestEffort,
      );
      expect(result).toMatchObject({ ok: false, issues: [{ code: "ERR_TRUNCATED" }] });
    });

    it("does not join a rest that does not continue it", async () => {
      const { result } = await run([cut, "I am sorry."], bestEffort);
      expect(result.ok).toBe(false);
    });
  });

  it("reports a refusal of the content filter and does not repair it", async () => {
    const { result, requests } = await run([{ text: "", finishReason: "content_filter" }]);
    expect(result).toMatchObject({ ok: false, issues: [{ code: "content_filtered" }] });
    expect(requests).toHaveLength(1);
  });

  it.each<LanguageModelErrorCode>([
    "authentication",
    "rate_limited",
    "timeout",
    "content_filtered",
    "invalid_request",
    "context_length_exceeded",
    "provider_error",
    "network_error",
    "aborted",
  ])("passes %s on without another call or a lower rung", async (code) => {
    const ladder = createFormatLadder();
    const model = createScriptedModel([
      new LanguageModelError(code, "response_format json_schema is not supported"),
      "{}",
    ]);
    await expect(
      generateStructured(model, { schema: city, messages, ladder }),
    ).rejects.toMatchObject({ code });
    expect(model.requests).toHaveLength(1);
    expect(await ladder.current(model)).toBe("json_schema");
  });

  it("passes a failure during a repair on", async () => {
    const failing = run(['{"name":{}}', new LanguageModelError("rate_limited", "Slow down.")]);
    await expect(failing).rejects.toMatchObject({ code: "rate_limited" });
  });

  it("passes on a refusal of the format where none was asked for", async () => {
    await expect(run([refused], { mode: "best-effort" })).rejects.toBe(refused);
  });

  it("makes no call once aborted, and takes no answer that came after", async () => {
    await expect(run(["{}"], { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "aborted",
    });
    const controller = new AbortController();
    const late: ScriptedResponse = () => {
      controller.abort();
      return '{"name":"Ulm"}';
    };
    const model = createScriptedModel([late, "{}"]);
    const aborted = generateStructured(model, {
      schema: city,
      messages,
      signal: controller.signal,
    });
    await expect(aborted).rejects.toMatchObject({ code: "aborted" });
    expect(model.requests).toHaveLength(1);
  });

  it("hands sampling and the schema's name on", async () => {
    const { requests } = await run(['{"name":"Ulm"}'], {
      request: { temperature: 0, maxOutputTokens: 9 },
      schemaName: "city",
    });
    expect(requests[0]).toMatchObject({
      temperature: 0,
      maxOutputTokens: 9,
      responseFormat: { name: "city" },
    });
  });
});
