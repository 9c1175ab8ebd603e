import { isDeepStrictEqual } from "node:util";

import { LanguageModelError, type ModelRequest, type ModelResponse } from "@ccl/core";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import {
  adapters as modelCallers,
  type Caller,
  drained,
  models,
} from "../../test-support/adapter-callers.ts";
import {
  collectGarbage,
  type FaultServer,
  openFaultServer,
  type Registered,
} from "../../test-support/fault-server.ts";
import { begin, type Fault, faults, pause, played } from "../../test-support/fault-table.ts";
import { concerns, isBad, playRow, renderMatrix } from "../../test-support/fault-matrix.ts";
import { officials } from "../../test-support/official-callers.ts";
import { createOllamaEmbedder, createOpenAiCompatibleEmbedder } from "../embeddings/index.ts";
import { ollamaFormat } from "./ollama-format.ts";
import { openAiFormat } from "./openai-format.ts";
import { byLength } from "../../../../scripts/lengths/test-length.mjs";

// In the long run each fault meets every adapter many times, so that collections fall at other moments.
const rounds = byLength({ test: 1, faults: 10 });
const shortMs = 500;
const longMs = 10_000;
const retries = 1;

const request: ModelRequest = { messages: [{ role: "user", content: "Hi" }] };

const embedded = (): ModelResponse => ({ text: "", toolCalls: [], finishReason: "stop" });
const settings = { model: "m", dimensions: 8, retries };
const adapters: readonly Caller[] = [
  ...modelCallers,
  {
    name: "openai-compatible, embeddings",
    format: openAiFormat("openai"),
    run: (baseUrl, timeoutMs) =>
      createOpenAiCompatibleEmbedder({ ...settings, timeoutMs, baseUrl: `${baseUrl}/v1` })
        .embed(["a"])
        .then(embedded),
  },
  {
    name: "ollama, embeddings",
    format: ollamaFormat,
    run: (baseUrl, timeoutMs) =>
      createOllamaEmbedder({ ...settings, timeoutMs, baseUrl })
        .embed(["a"])
        .then(embedded),
  },
];

let server: FaultServer;

beforeAll(async () => {
  server = await openFaultServer();
});
beforeEach(() => {
  // The shortest wait of the back-off.
  const random = vi.spyOn(Math, "random").mockReturnValue(0);
  return () => random.mockRestore();
});
afterAll(() => server.close());

interface Outcome {
  response?: Partial<ModelResponse>;
  error?: unknown;
}

async function outcomeOf(adapter: Caller, fault: Fault): Promise<[Outcome, Registered]> {
  const { baseUrl, known } = server.register(fault, adapter.format);
  const isSlow = codesOf(adapter, fault)?.includes("timeout") === true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hung = new Promise<Outcome>((resolve) => {
    timer = setTimeout(() => resolve({ error: "The call hangs." }), longMs + shortMs);
  });
  const ended = adapter.run(baseUrl, isSlow ? shortMs : longMs).then(
    (response): Outcome => ({ response }),
    (error: unknown): Outcome => ({ error }),
  );
  const outcome = await Promise.race([ended, hung]);
  clearTimeout(timer);
  return [outcome, known];
}

// What the SDK does by itself: it follows redirects, takes half a stream for an answer, and has its own words for bodies.
const own: Record<string, Record<string, string[]>> = {
  "ai-sdk": {
    "breaks off in the middle": ["provider_error", "network_error"],
    "keeps the connection after the answer's end": ["timeout"],
    "sends an error in the stream": ["provider_error", "network_error"],
    redirects: ["invalid_request"],
    "answers 200 with an HTML page": ["provider_error", "network_error", "answer"],
    "gives an empty body": ["provider_error", "network_error", "answer"],
    "gives no content": ["provider_error", "network_error", "answer"],
    "ends in the middle as if it were the end": ["provider_error", "network_error", "answer"],
  },
};

function codesOf({ name }: Caller, fault: Fault): string[] | undefined {
  const [family = ""] = name.split(",");
  const streamed = name.endsWith("streamed") ? fault.streamCodes : undefined;
  return own[family]?.[fault.name] ?? streamed ?? fault.codes;
}

/** What is wrong with an outcome; undefined if nothing is. */
function problemOf(
  adapter: Caller,
  fault: Fault,
  [{ error, response }, { attempts }]: [Outcome, Registered],
): unknown {
  const codes = codesOf(adapter, fault);
  const isSlow = codes?.includes("timeout") === true;
  const { attempts: expected = attempts } = fault;
  // A busy machine may send nothing in a short time.
  if (attempts > expected || (attempts < expected && !isSlow)) return { attempts };
  if (error === undefined) {
    const { text, toolCalls, finishReason } = response ?? {};
    const calls = toolCalls?.map(({ id, name, arguments: given }) => ({
      id,
      name,
      arguments: given,
    }));
    const isWhole = isDeepStrictEqual(
      [text, calls, finishReason],
      [played.text, played.toolCalls, "tool_calls"],
    );
    const isAllowed = codes === undefined || codes.includes("answer");
    return isAllowed && (isWhole || codes !== undefined || adapter.name.endsWith("embeddings"))
      ? undefined
      : response;
  }
  if (!LanguageModelError.isInstance(error)) return error;
  const hasStatus = fault.status === undefined || fault.status === error.status;
  return hasStatus && codes?.includes(error.code) === true ? undefined : error;
}

describe("a server that", () => {
  it.each(faults.map((fault) => [fault.name, fault] as const))(
    "%s ends every call in time, with the whole answer or a typed error",
    async (_, fault) => {
      for (let round = 0; round < rounds; round++) {
        const concerned = adapters.filter((adapter) => concerns(fault, adapter));
        const outcomes = await Promise.all(concerned.map((each) => outcomeOf(each, fault)));
        expect(outcomes.length).toBeGreaterThan(0);
        const problems = concerned.flatMap((adapter, index) => {
          const outcome = outcomes[index];
          const problem = outcome && problemOf(adapter, fault, outcome);
          return problem === undefined ? [] : [[adapter.name, problem]];
        });
        expect(problems).toEqual([]);
      }
    },
  );
});

describe("the matrix of the bench", () => {
  const named = (name: string): Fault[] => faults.filter((fault) => fault.name === name);
  const limits = { shortMs, longMs, graceMs: 250 };

  it("finds what hangs, and what loses a part of an answer", async () => {
    const format = openAiFormat("openai");
    const endless: Caller = { name: "endless", format, run: () => new Promise(() => undefined) };
    const lossy: Caller = {
      name: "lossy",
      format,
      run: async (baseUrl, timeoutMs) => ({
        ...(await modelCallers[0]?.run(baseUrl, timeoutMs)),
        toolCalls: played.toolCalls.slice(1),
      }),
    };
    const [hangs] = named("hangs in the body");
    const [drips] = named("drips in time");
    if (hangs === undefined || drips === undefined) throw new Error("There is no such behaviour.");
    const cells = [
      ...(await playRow(server, hangs, [endless, ...modelCallers], limits)),
      ...(await playRow(server, drips, [lossy, ...modelCallers, ...officials], limits)),
    ];
    const bad = cells.filter((cell) => isBad(cell));
    expect(bad.map(({ caller, ending }) => [caller, ending])).toEqual([
      ["endless", "hang"],
      ["lossy", "part"],
    ]);
    expect(renderMatrix(cells, [lossy])).toContain("| drips in time | **part** |");
  });
});

describe("the collector", () => {
  // The control: without the call's own race, what the runtime loses is never missed.
  const [major = 0] = process.versions.node.split(".").map(Number);
  it.runIf(major < 24)("makes a plain fetch that refuses redirects lose its signal", async () => {
    const fault: Fault = { name: "hangs", serve: (call) => begin(call).write("x") };
    const { baseUrl } = server.register(fault, ollamaFormat);
    const controller = new AbortController();
    let isEnded = false;
    const plain = async (): Promise<void> => {
      const init = {
        method: "POST",
        body: "{}",
        redirect: "error",
        signal: controller.signal,
      } as const;
      await (await fetch(`${baseUrl}/x`, init)).text();
    };
    void plain()
      .finally(() => (isEnded = true))
      .catch(() => undefined);
    for (let turn = 0; turn < 4; turn++) {
      await pause(40);
      collectGarbage();
    }
    controller.abort();
    await pause(100);
    expect(isEnded).toBe(false);
  });

  it("does not keep an abort from ending a call, before the answer and inside of it", async () => {
    const places: Fault[] = faults.filter(({ name }) => name.startsWith("hangs"));
    const runs = places.flatMap((fault) =>
      models.flatMap(([, format, open]) =>
        (["generate", "stream"] as const).map(async (way) => {
          const { baseUrl } = server.register(fault, format);
          const controller = new AbortController();
          const bound = { ...request, timeoutMs: longMs, signal: controller.signal };
          const model = open(baseUrl);
          const run = async (): Promise<void> => {
            if (way === "generate") await model.generate(bound);
            else await drained(model, longMs, controller.signal);
          };
          const ended = run().catch((error: unknown) => error);
          await pause(200);
          controller.abort("enough");
          return ended;
        }),
      ),
    );
    const errors = await Promise.all(runs);
    expect(errors.length).toBe(places.length * models.length * 2);
    for (const error of errors) expect(error).toMatchObject({ code: "aborted", cause: "enough" });
  });
});
