import type { ServerResponse } from "node:http";

import type { DialectFormat, PlayedAnswer } from "../src/testing/dialect-format.ts";

/** The answer that a server of these tests gives, whole or in part. */
export const played: PlayedAnswer = {
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
/** One call of such a server. */
export interface Call {
  response: ServerResponse;
  /** From 1. */
  attempt: number;
  isStreaming: boolean;
  /** The right body, as its frames. */
  frames: string[];
  format: DialectFormat;
}

type Kind = "streams" | "events" | "answers";
/** What a server does wrong, or rarely does. */
export interface Fault {
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

/** Waits. */
export const pause = (durationMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, durationMs));
const jsonType = { "content-type": "application/json" };
/** Begins a good answer. */
export const begin = (
  { response, isStreaming, format }: Call,
  headers: object = {},
): ServerResponse =>
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
/** The behaviours of servers that every call has to end with. */
export const faults: Fault[] = [
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
    attempts: 1,
  },
  {
    name: "ends in the middle as if it were the end",
    serve: (call) => begin(call).end(halfOf(call)),
    codes: ["provider_error", "network_error"],
    streamCodes: ["network_error"],
    attempts: 1,
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
  {
    name: "gives an empty body",
    serve: (call) => begin(call).end(),
    codes: ["network_error"],
    attempts: 1,
  },
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
