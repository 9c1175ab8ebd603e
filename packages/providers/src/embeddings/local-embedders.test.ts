import { type Embedder, LanguageModelError } from "@ccl/core";
import { describe, expect, it } from "vitest";

import type { TransformersTensor } from "./create-transformers-embedder.ts";
import {
  createEnergeticEmbedder,
  createTransformersEmbedder,
  type TransformersEmbedderOptions,
} from "./index.ts";

/** What a library that runs in the process does, and what it was asked. */
interface Library {
  loads: number;
  calls: string[][];
  vectorsOf: (texts: readonly string[]) => number[][];
  /** Runs before each load. */
  onLoad: () => Promise<void>;
}

const plainLibrary = (): Library => ({
  loads: 0,
  calls: [],
  vectorsOf: (texts) => texts.map((text) => [3 * text.length, 4 * text.length, 0]),
  onLoad: async () => undefined,
});

const tensorOf = (rows: readonly number[][]): TransformersTensor => ({
  dims: [rows.length, rows[0]?.length ?? 0],
  data: Float32Array.from(rows.flat()),
});

interface Settings {
  batchSize?: number;
  dimensions?: number;
}

const embedders: [string, (library: Library, settings?: Settings) => Embedder][] = [
  [
    "transformers",
    (library, settings) =>
      createTransformersEmbedder({
        async pipeline() {
          library.loads += 1;
          await library.onLoad();
          return async (texts) => {
            library.calls.push(texts);
            return tensorOf(library.vectorsOf(texts));
          };
        },
        model: "m",
        dimensions: 3,
        ...settings,
      }),
  ],
  [
    "energetic",
    (library, settings) =>
      createEnergeticEmbedder({
        async loadModel() {
          library.loads += 1;
          await library.onLoad();
          return {
            async embed(texts) {
              library.calls.push(texts);
              return library.vectorsOf(texts);
            },
          };
        },
        dimensions: 3,
        ...settings,
      }),
  ],
];

const failureOf = async (embedder: Embedder, signal?: AbortSignal): Promise<LanguageModelError> => {
  const caught: unknown = await embedder
    .embed(["a"], signal === undefined ? {} : { signal })
    .catch((error) => error);
  if (!LanguageModelError.isInstance(caught))
    throw new Error(`expected a typed error, not ${String(caught)}`);
  return caught;
};

describe.each(embedders)("the embedder over %s", (_, open) => {
  it("keeps the order of the texts over batches, at length 1, and loads once", async () => {
    const library = plainLibrary();
    library.vectorsOf = (texts) =>
      texts.map((text) => [Math.cos(text.length) * 9, Math.sin(text.length) * 9, 0]);
    const embedder = open(library, { batchSize: 5 });
    const texts = Array.from({ length: 12 }, (__, index) => "a".repeat(index + 1));
    const [vectors] = await Promise.all([embedder.embed(texts), embedder.embed(["b"])]);
    vectors.forEach((vector, index) => {
      expect([...vector]).toEqual([
        expect.closeTo(Math.cos(index + 1), 5),
        expect.closeTo(Math.sin(index + 1), 5),
        expect.closeTo(0, 5),
      ]);
    });
    expect(library.calls.map(({ length }) => length).sort()).toEqual([1, 2, 5, 5]);
    expect(library.loads).toBe(1);
  });

  it("loads nothing for no texts", async () => {
    const library = plainLibrary();
    expect([await open(library).embed([]), library.loads]).toEqual([[], 0]);
  });

  it("leaves a vector of zeros as it is", async () => {
    const library = plainLibrary();
    library.vectorsOf = () => [[0, 0, 0]];
    expect(await open(library).embed(["a"])).toEqual([Float32Array.of(0, 0, 0)]);
  });

  it.each([
    ["another length", [[1, 2]], "2 numbers"],
    ["a value that is no number", [[1, NaN, 0]], "not a finite number"],
    ["too few vectors", [], "0"],
  ])("refuses %s", async (__, vectors, words) => {
    const library = plainLibrary();
    library.vectorsOf = () => vectors;
    const failure = await failureOf(open(library));
    expect([failure.code, failure.message]).toEqual([
      "provider_error",
      expect.stringContaining(words),
    ]);
  });

  it("tells why a model could not be loaded, without secrets, and tries again at the next call", async () => {
    const library = plainLibrary();
    const secret = `sk-ant-${"a1".repeat(20)}`;
    library.onLoad = async () => {
      if (library.loads === 1) throw new Error(`no weights, said ${secret}`);
    };
    const embedder = open(library);
    const failure = await failureOf(embedder);
    expect([failure.code, failure.message]).toEqual([
      "provider_error",
      expect.stringContaining("no weights, said"),
    ]);
    expect(failure.message).not.toContain(secret);
    expect(await embedder.embed(["a"])).toEqual([Float32Array.of(0.6, 0.8, 0)]);
    expect(library.loads).toBe(2);
  });

  it("gives what the library throws as a typed error with its cause", async () => {
    const library = plainLibrary();
    const cause = new Error("out of memory");
    library.vectorsOf = () => {
      throw cause;
    };
    const failure = await failureOf(open(library));
    expect(failure).toMatchObject({
      code: "provider_error",
      cause,
      message: expect.stringContaining("out of memory"),
    });
  });

  it("stops at an abort: before it begins, while it loads, and between batches", async () => {
    const library = plainLibrary();
    expect((await failureOf(open(library), AbortSignal.abort())).code).toBe("aborted");
    expect(library.loads).toBe(0);

    const controller = new AbortController();
    const stuck = plainLibrary();
    stuck.onLoad = async () => {
      controller.abort();
      await new Promise(() => undefined);
    };
    expect((await failureOf(open(stuck), controller.signal)).code).toBe("aborted");

    const later = new AbortController();
    const busy = plainLibrary();
    busy.vectorsOf = (texts) => {
      setTimeout(() => later.abort());
      return texts.map(() => [1, 0, 0]);
    };
    const run = open(busy, { batchSize: 1 }).embed(["a", "b", "c"], { signal: later.signal });
    await expect(run).rejects.toMatchObject({ code: "aborted" });
    expect(busy.calls.length).toBeLessThan(3);
  });

  it.each([{ batchSize: 0 }, { dimensions: 1.5 }])("refuses %j", (settings) => {
    expect(() => open(plainLibrary(), settings)).toThrow(
      expect.objectContaining({ code: "invalid_request" }),
    );
  });
});

describe("createTransformersEmbedder", () => {
  const nothing: TransformersEmbedderOptions = {
    pipeline: async () => async () => tensorOf([[1, 0]]),
    model: "org/model",
    dimensions: 2,
  };

  it("tells the library the task, the model, its revision and precision, and how to pool", async () => {
    const asked: unknown[] = [];
    const embedder = createTransformersEmbedder({
      ...nothing,
      async pipeline(...call) {
        asked.push(call);
        return async (...extraction) => {
          asked.push(extraction);
          return tensorOf([[1, 0]]);
        };
      },
      revision: "v1",
      dtype: "q8",
      pooling: "cls",
    });
    await embedder.embed(["a"]);
    expect(asked).toEqual([
      ["feature-extraction", "org/model", { revision: "v1", dtype: "q8" }],
      [["a"], { pooling: "cls", normalize: true }],
    ]);
  });

  it("names all that its vectors depend on", () => {
    const variants: Partial<TransformersEmbedderOptions>[] = [
      {},
      { model: "org/other" },
      { revision: "v1" },
      { dtype: "q8" },
      { pooling: "cls" },
      { dimensions: 3 },
    ];
    const names = variants.map(
      (variant) => createTransformersEmbedder({ ...nothing, ...variant }).name,
    );
    expect(new Set(names).size).toBe(variants.length);
    expect(names[0]).toBe("transformers/org/model@main/default/mean/2");
  });

  it("refuses a tensor with a row for each token", async () => {
    const pipeline = async () => async (): Promise<TransformersTensor> => ({
      dims: [1, 4, 2],
      data: new Float32Array(8),
    });
    const failure = await failureOf(createTransformersEmbedder({ ...nothing, pipeline }));
    expect(failure.message).toContain("1 x 4 x 2");
  });
});

describe("createEnergeticEmbedder", () => {
  it("hands an empty text over as a space, since the library loses it otherwise", async () => {
    const calls: string[][] = [];
    const loadModel = async () => ({
      async embed(texts: string[]): Promise<number[][]> {
        calls.push(texts);
        return texts.map(() => [1]);
      },
    });
    const embedder = createEnergeticEmbedder({ loadModel, dimensions: 1 });
    expect(await embedder.embed(["a", ""])).toHaveLength(2);
    expect(calls).toEqual([["a", " "]]);
  });

  it("names the weights and the length", () => {
    const loadModel = async () => ({ embed: async (): Promise<number[][]> => [] });
    expect(createEnergeticEmbedder({ loadModel }).name).toBe(
      "energetic/model-embeddings-en@0.2/512",
    );
    expect(createEnergeticEmbedder({ loadModel, model: "own@1" }).name).toBe("energetic/own@1/512");
  });
});
