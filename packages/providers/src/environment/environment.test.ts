import { LanguageModelError } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { startTestServer } from "../testing/index.ts";
import { explainModelFailure, findModel, namedModel } from "./index.ts";

const messages = [{ role: "user" as const, content: "Hi" }];
const models = (...names: string[]): typeof fetch =>
  (async () => Response.json({ models: names.map((name) => ({ name })) })) as typeof fetch;
const nobody: typeof fetch = async () => {
  throw new TypeError("fetch failed");
};

describe("namedModel", () => {
  it.each([
    ["anthropic/claude-x", "anthropic", "claude-x"],
    ["claude-x", "anthropic", "claude-x"],
    ["openai/gpt-x", "openai", "gpt-x"],
    ["o3", "openai", "o3"],
    ["gemini/gemini-x", "gemini", "gemini-x"],
    ["gemini-x", "gemini", "gemini-x"],
    ["ollama/qwen3:8b", "ollama", "qwen3:8b"],
    ["groq/llama", "groq", "llama"],
    ["vllm/org/model", "vllm", "org/model"],
  ])("knows where %s is", (name, provider, modelId) => {
    const keys = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GROQ_API_KEY"];
    const env = Object.fromEntries(keys.map((variable) => [variable, "k"]));
    expect(namedModel(name, { env })).toMatchObject({ provider, modelId });
  });

  it.each([
    ["openai/gpt-x", "authentication", "OPENAI_API_KEY"],
    ["claude-x", "authentication", "ANTHROPIC_API_KEY"],
    ["groq/llama", "authentication", "GROQ_API_KEY"],
    ["gemini-x", "authentication", "GEMINI_API_KEY"],
    ["nobody/x", "invalid_request", "ollama/nobody/x"],
  ])("says of %s what is missing", (name, code, hint) => {
    const call = (): unknown => namedModel(name, { env: {} });
    expect(call).toThrow(LanguageModelError);
    expect(call).toThrow(expect.objectContaining({ code, message: expect.stringContaining(hint) }));
  });

  it("asks the servers of the variables, with their keys", async () => {
    const answer = { type: "answer" as const, text: "Yes." };
    const server = await startTestServer({ script: [answer, answer, answer, answer] });
    const env = {
      OPENAI_BASE_URL: server.baseUrl("openai"),
      OPENAI_API_KEY: "open",
      ANTHROPIC_BASE_URL: server.baseUrl("anthropic"),
      ANTHROPIC_API_KEY: "anthropic",
      GOOGLE_GEMINI_BASE_URL: server.baseUrl("gemini"),
      OLLAMA_HOST: server.baseUrl("ollama"),
    };
    for (const name of ["some-model", "claude-x", "gemini-x", "ollama/x"])
      expect((await namedModel(name, { env }).generate({ messages })).text).toBe("Yes.");
    expect(server.calls.map(({ dialect }) => dialect)).toEqual([
      "openai",
      "anthropic",
      "gemini",
      "ollama",
    ]);
    await server.close();
  });
});

describe("explainModelFailure", () => {
  it("says in a sentence what happened and what to do", async () => {
    const server = await startTestServer({ script: [{ type: "error", status: 401 }] });
    const env = { OPENAI_BASE_URL: server.baseUrl("openai") };
    const failure = await namedModel("m", { env })
      .generate({ messages })
      .catch((error: unknown) => explainModelFailure(error));
    await server.close();
    expect(failure).toMatch(/^The model failed: .* answered 401: .*; set the key .* CCL_MODEL\.$/);
    expect(explainModelFailure(new TypeError("Oops"))).toBeUndefined();
  });
});

describe("findModel", () => {
  it.each([
    [{ CCL_MODEL: "ollama/x", OPENAI_API_KEY: "k" }, "CCL_MODEL", "ollama"],
    [{ OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" }, "OPENAI_API_KEY", "openai"],
    [{ ANTHROPIC_API_KEY: "k" }, "ANTHROPIC_API_KEY", "anthropic"],
    [{ GEMINI_API_KEY: "k" }, "GEMINI_API_KEY", "gemini"],
    [{ OLLAMA_HOST: "0.0.0.0" }, "http://127.0.0.1:11434", "ollama"],
  ])("takes from %j that of %s", async (env, source, provider) => {
    const found = await findModel({ env, fetch: models("qwen3:8b") });
    expect([found?.source, found?.model.provider]).toEqual([source, provider]);
  });

  it("gives nothing where there is no key and no Ollama with a model", async () => {
    expect(await findModel({ env: {}, fetch: nobody })).toBeUndefined();
    expect(await findModel({ env: {}, fetch: models() })).toBeUndefined();
  });
});
