import { isRecord, parseJson } from "@ccl/core/json";

import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";

import { anthropicFormat } from "./anthropic-format.ts";
import type { DialectFormat } from "./dialect-format.ts";
import { geminiFormat } from "./gemini-format.ts";
import { ollamaFormat } from "./ollama-format.ts";
import { openAiFormat } from "./openai-format.ts";
import { type Call, playBehaviour, playError } from "./play-behaviour.ts";
import { responsesFormat } from "./responses-format.ts";
import type { TestBehaviour, TestDialect } from "./test-behaviour.ts";

/** How the server behaves. */
export interface TestServerOptions {
  /** One behaviour per call, in order. Later calls get a 500 that says so. */
  script?: readonly TestBehaviour[] | undefined;
  /** Answers calls beyond the script, for clients whose calls come in no fixed order. */
  respond?: ((call: ReceivedCall) => TestBehaviour) | undefined;
  /** Calls with another key or none get a 401. Default: any key is accepted. */
  apiKey?: string | undefined;
  /** For behaviours without their own `chunkBytes`. */
  chunkBytes?: number | undefined;
  /** Milliseconds without a call after which the server closes, in case the caller never does. Default: 60,000. */
  idleMs?: number | undefined;
}

/** A call that the server received. */
export interface ReceivedCall {
  dialect: TestDialect;
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

/** A server on a free loopback port. It does not keep the process alive. */
export interface TestServer {
  /** The base URL for an adapter or an official client. */
  baseUrl(dialect: TestDialect): string;
  /** All calls so far, in order. */
  readonly calls: readonly ReceivedCall[];
  /** Appends to the script. */
  enqueue(...behaviours: TestBehaviour[]): void;
  /** Ends open connections and frees the port. A second call does nothing. */
  close(): Promise<void>;
}

const formats: Record<TestDialect, DialectFormat> = {
  openai: openAiFormat("openai"),
  "openai-responses": responsesFormat,
  "lm-studio": openAiFormat("lm-studio"),
  "ignores-format": openAiFormat("ignores-format"),
  ollama: ollamaFormat,
  anthropic: anthropicFormat,
  gemini: geminiFormat,
};

function isDialect(name: string): name is TestDialect {
  return Object.hasOwn(formats, name);
}

/** Starts a real HTTP server that simulates the APIs of `TestDialect` by a script, for tests and examples offline. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const script: TestBehaviour[] = [...(options.script ?? [])];
  const calls: ReceivedCall[] = [];
  const server = createServer((request, response) => {
    idle.refresh();
    void readBody(request).then((text) => {
      const call = routeOf(request, response, text);
      if (call === undefined)
        return response.writeHead(404).end('{"error":{"message":"Unknown path."}}');
      const { dialect, path, headers, body } = call;
      calls.push({ dialect, path, headers, body });
      const objection = objectionTo(call, options.apiKey);
      return objection === undefined ? play(call) : playError(call, objection);
    });
  });
  const play = (call: Call): Promise<void> | undefined => {
    const isEmbedding = call.kind === "embeddings";
    const next =
      isEmbedding && !isFailure(script[0])
        ? { type: "answer" as const }
        : (script.shift() ?? options.respond?.(call));
    const message = "The test server's script has no behaviour left for this call.";
    const behaviour = next ?? { type: "error", status: 500, message };
    return playBehaviour(call, { chunkBytes: options.chunkBytes ?? Infinity, ...behaviour });
  };
  const close = async (): Promise<void> => {
    clearTimeout(idle);
    if (!server.listening) return;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  };
  // A connection that the system accepted before the close arrives after it.
  server.on("connection", (socket) =>
    server.listening ? socket.unref().setNoDelay(true) : socket.destroy(),
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const idle = setTimeout(() => void close(), options.idleMs ?? 60_000).unref();
  server.unref();
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const versions: Partial<Record<TestDialect, string>> = {
    openai: "/v1",
    "openai-responses": "/v1",
    "lm-studio": "/v1",
    "ignores-format": "/v1",
  };
  return {
    baseUrl: (dialect) => `http://127.0.0.1:${port}/${dialect}${versions[dialect] ?? ""}`,
    calls,
    enqueue: (...behaviours) => void script.push(...behaviours),
    close,
  };
}

function isFailure(behaviour: TestBehaviour | undefined): boolean {
  return behaviour !== undefined && behaviour.type !== "answer" && behaviour.type !== "refusal";
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

function routeOf(
  request: IncomingMessage,
  response: ServerResponse,
  text: string,
): Call | undefined {
  const [path = ""] = (request.url ?? "").split("?");
  const [, name = ""] = path.split("/");
  if (!isDialect(name) || request.method !== "POST") return undefined;
  const format = formats[name];
  const rest = path.slice(name.length + 1);
  const { chatPath } = format;
  const isChat = typeof chatPath === "string" ? rest === chatPath : chatPath.test(rest);
  const kind = isChat ? "chat" : rest === format.embeddingsPath ? "embeddings" : undefined;
  const body = parseJson(text);
  if (kind === undefined) return undefined;
  return {
    dialect: name,
    kind,
    path,
    format,
    headers: request.headers,
    body: isRecord(body) ? body : {},
    response,
  };
}

function objectionTo(
  call: Call,
  apiKey: string | undefined,
): ReturnType<DialectFormat["objection"]> {
  const { format, body, headers, kind } = call;
  if (apiKey !== undefined && format.keyOf(headers) !== apiKey)
    return { type: "error", status: 401 };
  const required = kind === "chat" ? format.required : ["model", "input"];
  const missing = required.filter((field) => body[field] === undefined);
  if (missing.length > 0)
    return { type: "error", status: 400, message: `${missing.join(" and ")} are required` };
  return kind === "chat" ? format.objection(body, headers) : undefined;
}
