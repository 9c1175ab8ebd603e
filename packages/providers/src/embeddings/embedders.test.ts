import { LanguageModelError, type Embedder } from "@ccl/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startTestServer, type TestServer } from "../testing/index.ts";
import type { EmbedderOptions } from "./create-embedder.ts";
import { createOllamaEmbedder, createOpenAiCompatibleEmbedder } from "./index.ts";

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.close());

const embedders: ["openai" | "ollama", (options: Partial<EmbedderOptions>) => Embedder][] = [
  [
    "openai",
    (options) =>
      createOpenAiCompatibleEmbedder({
        model: "m",
        dimensions: 8,
        retries: 0,
        baseUrl: server.baseUrl("openai"),
        ...options,
      }),
  ],
  [
    "ollama",
    (options) =>
      createOllamaEmbedder({
        model: "m",
        dimensions: 8,
        retries: 0,
        baseUrl: server.baseUrl("ollama"),
        ...options,
      }),
  ],
];

describe.each(embedders)("the embedder for %s", (_, open) => {
  it("keeps the order of the texts over batches", async () => {
    const texts = Array.from({ length: 23 }, (_, index) => "a".repeat(index));
    const vectors = await open({ batchSize: 5 }).embed(texts);
    // "a" is 97, which is 1 modulo 8.
    expect(vectors.map((vector) => vector[1])).toEqual(texts.map(({ length }) => length));
    expect(
      server.calls.map(({ body }) => Array.isArray(body["input"]) && body["input"].length),
    ).toEqual([5, 5, 5, 5, 3]);
  });

  it("makes no call for no texts", async () => {
    expect([await open({}).embed([]), server.calls.length]).toEqual([[], 0]);
  });

  it("refuses vectors of another length than it promises", async () => {
    const run = open({ dimensions: 7 }).embed(["a"]);
    await expect(run).rejects.toMatchObject({
      code: "provider_error",
      message: expect.stringContaining("8 numbers"),
    });
  });

  it("gives typed errors and stops at an abort between batches", async () => {
    server.enqueue({ type: "error", status: 429, retryAfter: "2" });
    await expect(open({}).embed(["a"])).rejects.toMatchObject({
      code: "rate_limited",
      retryAfterMs: 2000,
    });
    const controller = new AbortController();
    controller.abort();
    const caught: unknown = await open({})
      .embed(["a"], { signal: controller.signal })
      .catch((error: unknown) => error);
    expect(LanguageModelError.isInstance(caught) && caught.code).toBe("aborted");
    expect(server.calls.length).toBe(1);
  });

  it("names the model and the length, so that vectors of two models are never compared", () => {
    expect(open({}).name).toMatch(/\/m\/8$/);
  });
});

it("puts vectors that come out of order back in order", async () => {
  const data = [1, 0].map((index) => ({ index, embedding: [index, index] }));
  const embedder = createOpenAiCompatibleEmbedder({
    model: "m",
    dimensions: 2,
    baseUrl: "http://localhost",
    fetch: async () => Response.json({ data }),
  });
  expect((await embedder.embed(["a", "b"])).map(([first]) => first)).toEqual([0, 1]);
});
