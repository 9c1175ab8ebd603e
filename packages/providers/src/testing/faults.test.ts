import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { isDeepStrictEqual } from "node:util";
import { runInNewContext } from "node:vm";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { LanguageModelError, type ModelRequest, type ModelResponse } from "@ccl/core";
import { parseJson, isRecord, type JsonRecord } from "@ccl/core/json";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { createAiSdkModel } from "../ai-sdk/index.ts";
import { createAnthropicModel } from "../anthropic/index.ts";
import { createOllamaEmbedder, createOpenAiCompatibleEmbedder } from "../embeddings/index.ts";
import { createOllamaModel } from "../ollama/index.ts";
import { createOpenAiCompatibleModel, type StreamingModel } from "../openai-compatible/index.ts";
import { createOpenAiResponsesModel } from "../openai-responses/index.ts";
import { anthropicFormat } from "./anthropic-format.ts";
import type { DialectFormat, PlayedAnswer } from "./dialect-format.ts";
import { ollamaFormat } from "./ollama-format.ts";
import { openAiFormat } from "./openai-format.ts";
import { responsesFormat } from "./responses-format.ts";

// In the long run each fault meets every adapter many times, so that collections fall at other moments.
const rounds = process.env["CCL_TEST_LENGTH"] === undefined ? 1 : 10;
const collectGarbage = garbageCollector();
const shortMs = 500;
const longMs = 10_000;
const retries = 1;

const played: PlayedAnswer = {
  text: "Привет, 世界 👋 and more words, so that a half is well inside of it.",
  reasoning: "",
  refusal: "",
  toolCalls: [
    { id: "call_a", name: "read", arguments: '{"path":"src/мир.ts","lines":[1,20]}' },
    { id: "call_b", name: "list", arguments: '{"folder":"/tmp/a/b/c"}' },
  ],
  finishReason: "tool_calls",
  usage: { inputTokens: 9, outputTokens: 3, cachedInputTokens: 2 },
  extra: {},
};
const vectors = [Array.from({ length: 8 }, (_, index) => index)];
const request: ModelRequest = { messages: [{ role: "user", content: "Hi" }] };

interface Adapter {
  name: string;
  format: DialectFormat;
  run(baseUrl: string, timeoutMs: number): Promise<Partial<ModelResponse>>;
}

const drained = async (
  model: StreamingModel,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<ModelResponse> => {
  const texts: string[] = [];
  for await (const delta of model.stream({ ...request, timeoutMs, signal })) {
    if (delta.type === "text") texts.push(delta.text);
    if (delta.type !== "finish") continue;
    if (texts.join("") === delta.response.text) return delta.response;
    throw new Error("The deltas are not the answer's text.");
  }
  throw new Error("The stream gave no `finish`.");
};

const models: [string, DialectFormat, (baseUrl: string) => StreamingModel][] = [
  [
    "openai-compatible",
    openAiFormat("openai"),
    (baseUrl) => createOpenAiCompatibleModel({ model: "m", baseUrl: `${baseUrl}/v1`, retries }),
  ],
  [
    "openai-responses",
    responsesFormat,
    (baseUrl) => createOpenAiResponsesModel({ model: "m", baseUrl: `${baseUrl}/v1`, retries }),
  ],
  ["ollama", ollamaFormat, (baseUrl) => createOllamaModel({ model: "m", baseUrl, retries })],
  [
    "anthropic",
    anthropicFormat,
    (baseUrl) => createAnthropicModel({ model: "m", baseUrl, retries }),
  ],
  [
    "ai-sdk",
    openAiFormat("openai"),
    (baseUrl) => {
      const provider = createOpenAICompatible({ name: "test", baseURL: `${baseUrl}/v1` });
      return createAiSdkModel({ model: provider("m"), retries });
    },
  ],
];
const embedded = (): ModelResponse => ({ text: "", toolCalls: [], finishReason: "stop" });
const settings = { model: "m", dimensions: 8, retries };
const adapters: Adapter[] = [
  ...models.flatMap(([name, format, open]): Adapter[] => [
    {
      name,
      format,
      run: (baseUrl, timeoutMs) => open(baseUrl).generate({ ...request, timeoutMs }),
    },
    {
      name: `${name}, streamed`,
      format,
      run: (baseUrl, timeoutMs) => drained(open(baseUrl), timeoutMs),
    },
  ]),
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

interface Call {
  response: ServerResponse;
  /** From 1. */
  attempt: number;
  isStreaming: boolean;
  /** The right body, as its frames. */
  frames: string[];
  format: DialectFormat;
}

type Kind = "streams" | "events" | "answers";
interface Fault {
  name: string;
  serve(call: Call): unknown;
  /** Codes that the call may fail with; without any it must give the whole answer. */
  codes?: string[];
  /** Codes in a stream, where they differ; none for the whole answer. */
  streamCodes?: string[];
  status?: number;
  /** Calls that the server gets. */
  attempts?: number;
  only?: Kind;
}

const pause = (durationMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, durationMs));
const jsonType = { "content-type": "application/json" };
const begin = ({ response, isStreaming, format }: Call, headers: object = {}): ServerResponse =>
  response.writeHead(200, {
    "content-type": isStreaming ? format.streamType : "application/json",
    ...headers,
  });
const bytesOf = ({ frames }: Call): Buffer => Buffer.from(frames.join(""));
const halfOf = (call: Call): Buffer => bytesOf(call).subarray(0, bytesOf(call).length / 2);
const answer = (call: Call): unknown => begin(call).end(bytesOf(call));
const refuse =
  (status: number, headers: Record<string, string> = {}) =>
  ({ response, format }: Call): unknown =>
    response
      .writeHead(status, { ...jsonType, ...headers })
      .end(JSON.stringify(format.toError({ type: "error", status })));
const once =
  (fault: (call: Call) => unknown) =>
  (call: Call): unknown =>
    call.attempt === 1 ? fault(call) : answer(call);
const inPieces = async (call: Call, pieces: Uint8Array[], waitMs: number): Promise<void> => {
  begin(call);
  for (const piece of pieces) {
    call.response.write(piece);
    await pause(waitMs);
  }
  call.response.end();
};
const cut = (bytes: Uint8Array, size: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
const reset = ({ response }: Call): unknown => response.socket?.resetAndDestroy();
let collecting: Promise<void> | undefined;
/** Collects garbage soon, once for all calls that wait for it. */
const collected = (): Promise<void> =>
  (collecting ??= pause(20).then(() => {
    collectGarbage();
    collecting = undefined;
  }));

const faults: Fault[] = [
  { name: "hangs before the headers", serve: () => undefined, codes: ["timeout"], attempts: 1 },
  {
    name: "hangs after the headers",
    serve: (call) => begin(call).flushHeaders(),
    codes: ["timeout"],
    attempts: 1,
  },
  {
    name: "hangs in the body",
    serve: (call) => begin(call).write(halfOf(call)),
    codes: ["timeout"],
    attempts: 1,
  },
  {
    name: "hangs in the body of an error",
    serve: ({ response }) => response.writeHead(400, jsonType).write('{"error":'),
    codes: ["timeout"],
    attempts: 1,
  },
  {
    name: "keeps the connection after the answer's end",
    serve: (call) => begin(call).write(bytesOf(call)),
    only: "streams",
  },
  {
    name: "redirects",
    serve: ({ response }) => response.writeHead(307, { location: "/elsewhere" }).end(),
    codes: ["invalid_request"],
  },
  {
    name: "breaks off in the middle",
    async serve(call) {
      begin(call).write(halfOf(call));
      await pause(15);
      call.response.destroy();
    },
    codes: ["network_error"],
  },
  {
    name: "ends in the middle as if it were the end",
    serve: (call) => begin(call).end(halfOf(call)),
    codes: ["provider_error", "network_error"],
    streamCodes: ["network_error"],
  },
  { name: "answers 429, then well", serve: once(refuse(429)), attempts: 2 },
  {
    name: "answers 429 with seconds to wait, then well",
    serve: once(refuse(429, { "retry-after": "0.02" })),
    attempts: 2,
  },
  {
    name: "answers 429 with milliseconds to wait, then well",
    serve: once(refuse(429, { "retry-after-ms": "20" })),
    attempts: 2,
  },
  {
    name: "answers 429 with a date, then well",
    serve: once(refuse(429, { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" })),
    attempts: 2,
  },
  {
    name: "asks to wait beyond the time limit",
    serve: refuse(429, { "retry-after": "30" }),
    codes: ["rate_limited"],
    status: 429,
    attempts: 1,
  },
  {
    name: "is overloaded for good",
    serve: refuse(529),
    codes: ["provider_error"],
    status: 529,
    attempts: 2,
  },
  { name: "is overloaded once", serve: once(refuse(529)), attempts: 2 },
  {
    name: "finds the request too large",
    serve: refuse(413),
    codes: ["invalid_request"],
    status: 413,
    attempts: 1,
  },
  {
    name: "answers 502 with an HTML page",
    serve: ({ response }) =>
      response
        .writeHead(502, { "content-type": "text/html" })
        .end("<html><title>Bad gateway</title></html>"),
    codes: ["provider_error"],
    status: 502,
    attempts: 2,
  },
  {
    name: "answers 200 with an HTML page",
    serve: ({ response }) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<html><title>Log in</title>"),
    codes: ["provider_error"],
  },
  {
    name: "gives the wrong content type",
    serve: (call) => begin(call, { "content-type": "text/plain" }).end(bytesOf(call)),
  },
  {
    name: "interleaves two tool calls",
    serve: (call) => begin(call).end(interleaved(call.frames).join("")),
    only: "events",
  },
  { name: "gives an empty body", serve: (call) => begin(call).end(), codes: ["network_error"] },
  {
    name: "gives no content",
    serve: ({ response }) => response.writeHead(204).end(),
    codes: ["provider_error", "network_error"],
  },
  { name: "resets the connection", serve: reset, codes: ["network_error"], attempts: 2 },
  { name: "resets the connection once", serve: once(reset), attempts: 2 },
  {
    name: "drips slower than the time limit",
    serve: (call) => inPieces(call, cut(bytesOf(call), 2), 60),
    codes: ["timeout"],
    attempts: 1,
  },
  {
    name: "drips in time",
    serve: (call) => inPieces(call, cut(bytesOf(call), Math.ceil(bytesOf(call).length / 8)), 5),
  },
  {
    name: "splits characters between chunks",
    serve: (call) => inPieces(call, cut(bytesOf(call), 61), 0),
  },
  {
    name: "ends lines with CRLF",
    serve: (call) => begin(call).end(call.frames.join("").replaceAll("\n", "\r\n")),
    only: "streams",
  },
  {
    name: "sends comments and pings",
    serve: (call) =>
      begin(call).end(call.frames.map((frame) => `: keep-alive\n\n${frame}`).join("")),
    only: "events",
  },
  {
    name: "sends an error in the stream",
    serve: (call) => begin(call).end(errorAfterHalf(call)),
    codes: ["provider_error"],
    only: "streams",
    attempts: 1,
  },
  {
    name: "sends its last event twice",
    serve: (call) => begin(call).end([...call.frames, call.frames.at(-1)].join("")),
    only: "streams",
  },
  {
    name: "counts no tokens",
    serve: (call) =>
      begin(call).end(
        call.frames
          .filter((frame) => !/"choices":\[\],/.test(frame))
          .join("")
          .replace(/,"usage":\{(?:[^{}]|\{[^{}]*\})*\}/g, ""),
      ),
  },
];

function errorAfterHalf({ frames, format }: Call): string {
  const error = JSON.stringify(format.toError({ type: "error", status: 529 }));
  const half = frames.slice(0, Math.ceil(frames.length / 2)).join("");
  return half + (format.streamType === "text/event-stream" ? `data: ${error}\n\n` : `${error}\n`);
}

/** The frames of the two tool calls in turns, in place of one call after the other. */
function interleaved(frames: readonly string[]): string[] {
  const callOf = (frame: string): string | undefined =>
    /"tool_calls":\[\{"index":(\d)/.exec(frame)?.[1] ??
    /"type":"content_block_\w+","index":([12])/.exec(frame)?.[1] ??
    /"output_index":([12])/.exec(frame)?.[1];
  const first = frames.findIndex((frame) => callOf(frame) !== undefined);
  const ids = [...new Set(frames.flatMap((frame) => callOf(frame) ?? []))];
  const [left = [], right = []] = ids.map((id) => frames.filter((frame) => callOf(frame) === id));
  const turns = Array.from({ length: Math.max(left.length, right.length) }, (_, index) => [
    ...left.slice(index, index + 1),
    ...right.slice(index, index + 1),
  ]).flat();
  const others = (from: number, to?: number): string[] =>
    frames.slice(from, to).filter((frame) => callOf(frame) === undefined);
  return [...others(0, first), ...turns, ...others(first)];
}

interface Registered {
  fault: Fault;
  format: DialectFormat;
  attempts: number;
}
let server: Server;
const registered = new Map<string, Registered>();

beforeAll(async () => {
  server = createServer((incoming, response) => {
    const id = /^\/(\d+)\//.exec(incoming.url ?? "")?.[1] ?? "";
    const pieces: Buffer[] = [];
    incoming.on("data", (piece: Buffer) => pieces.push(piece));
    incoming.on("end", () => {
      const known = registered.get(id);
      if (known === undefined) return void response.writeHead(404).end();
      known.attempts++;
      const body = parseJson(Buffer.concat(pieces).toString());
      void serve(known, response, isRecord(body) ? body : {});
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
beforeEach(() => {
  // The shortest wait of the back-off.
  const random = vi.spyOn(Math, "random").mockReturnValue(0);
  return () => random.mockRestore();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function serve(known: Registered, response: ServerResponse, body: JsonRecord): Promise<void> {
  const { fault, format, attempts: attempt } = known;
  const isEmbedding = body["input"] !== undefined && format !== responsesFormat;
  const isStreaming = !isEmbedding && format.isStreaming(body);
  const whole = isEmbedding
    ? (format.toEmbeddings?.(vectors, body) ?? {})
    : format.toWhole(played, body);
  const frames = isStreaming ? format.toStream(played, body) : [JSON.stringify(whole)];
  response.on("error", () => undefined);
  await collected();
  await fault.serve({ response, attempt, isStreaming, frames, format });
  await collected();
}

interface Outcome {
  response?: Partial<ModelResponse>;
  error?: unknown;
}

let ids = 0;
async function outcomeOf(adapter: Adapter, fault: Fault): Promise<[Outcome, Registered]> {
  const id = String(ids++);
  const known: Registered = { fault, format: adapter.format, attempts: 0 };
  registered.set(id, known);
  const { port } = server.address() as AddressInfo;
  const isSlow = codesOf(adapter, fault)?.includes("timeout") === true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hung = new Promise<Outcome>((resolve) => {
    timer = setTimeout(() => resolve({ error: "The call hangs." }), longMs + shortMs);
  });
  const ended = adapter.run(`http://127.0.0.1:${port}/${id}`, isSlow ? shortMs : longMs).then(
    (response): Outcome => ({ response }),
    (error: unknown): Outcome => ({ error }),
  );
  const outcome = await Promise.race([ended, hung]);
  clearTimeout(timer);
  return [outcome, known];
}

function concerns(fault: Fault, { name, format }: Adapter): boolean {
  if (fault.only === undefined) return true;
  if (!name.endsWith("streamed")) return false;
  return fault.only === "streams" || format.streamType === "text/event-stream";
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

function codesOf({ name }: Adapter, fault: Fault): string[] | undefined {
  const [family = ""] = name.split(",");
  const streamed = name.endsWith("streamed") ? fault.streamCodes : undefined;
  return own[family]?.[fault.name] ?? streamed ?? fault.codes;
}

/** What is wrong with an outcome; undefined if nothing is. */
function problemOf(
  adapter: Adapter,
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

describe("the collector", () => {
  // The control: without the call's own race, what the runtime loses is never missed.
  const [major = 0] = process.versions.node.split(".").map(Number);
  it.runIf(major < 24)("makes a plain fetch that refuses redirects lose its signal", async () => {
    const id = String(ids++);
    const fault: Fault = { name: "hangs", serve: (call) => begin(call).write("x") };
    registered.set(id, { fault, format: ollamaFormat, attempts: 0 });
    const { port } = server.address() as AddressInfo;
    const controller = new AbortController();
    let isEnded = false;
    const plain = async (): Promise<void> => {
      const init = {
        method: "POST",
        body: "{}",
        redirect: "error",
        signal: controller.signal,
      } as const;
      await (await fetch(`http://127.0.0.1:${port}/${id}/x`, init)).text();
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
          const id = String(ids++);
          registered.set(id, { fault, format, attempts: 0 });
          const { port } = server.address() as AddressInfo;
          const controller = new AbortController();
          const bound = { ...request, timeoutMs: longMs, signal: controller.signal };
          const model = open(`http://127.0.0.1:${port}/${id}`);
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

function garbageCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("This runtime has no collector to call.");
  return () => void Reflect.apply(collect, undefined, []);
}
