import type { IncomingHttpHeaders, ServerResponse } from "node:http";

import { withDefaults } from "@ccl/core";
import { arrayAt, type JsonRecord } from "@ccl/core/json";
import type { DialectFormat, PlayedAnswer } from "./dialect-format.ts";
import type { TestAnswer, TestBehaviour, TestDialect, TestError } from "./test-behaviour.ts";

/** One call, its API and the response to write. */
export interface Call {
  dialect: TestDialect;
  kind: "chat" | "embeddings";
  path: string;
  format: DialectFormat;
  headers: IncomingHttpHeaders;
  body: JsonRecord;
  response: ServerResponse;
}

/** Answers one call as the behaviour says. */
export async function playBehaviour(call: Call, behaviour: TestBehaviour): Promise<void> {
  if (behaviour.type === "error") return playError(call, behaviour);
  const { format, response } = call;
  const isStreaming = call.kind === "chat" && format.isStreaming(call.body, call.path);
  const pieces = piecesFor(call, behaviour, isStreaming);
  if (behaviour.type === "hang" && !isStreaming) return undefined;
  const bytes = Buffer.from(pieces.join(""), "utf8");
  response.writeHead(200, {
    "content-type": isStreaming ? format.streamType : "application/json",
    ...(format.requestIdHeader === undefined ? {} : { [format.requestIdHeader]: "req_test" }),
    ...(isStreaming ? {} : { "content-length": bytes.length }),
  });
  if (behaviour.type === "hang") {
    response.write(pieces[0] ?? "");
    return undefined;
  }
  const isCut = behaviour.type === "cut";
  await send(
    response,
    isCut ? bytes.subarray(0, bytes.length / 2) : bytes,
    behaviour.chunkBytes ?? Infinity,
  );
  if (isCut) response.destroy();
  else response.end();
  return undefined;
}

/** Answers one call with an error body of its API. */
export function playError({ format, response }: Call, error: TestError): void {
  response.writeHead(error.status, {
    "content-type": "application/json",
    ...(format.requestIdHeader === undefined ? {} : { [format.requestIdHeader]: "req_test" }),
    ...(error.retryAfter === undefined ? {} : { "retry-after": error.retryAfter }),
  });
  response.end(JSON.stringify(format.toError(error)));
}

function piecesFor(
  call: Call,
  behaviour: Exclude<TestBehaviour, TestError>,
  isStreaming: boolean,
): string[] {
  const { format, body } = call;
  if (call.kind === "embeddings")
    return [JSON.stringify(format.toEmbeddings?.(vectorsOf(body), body))];
  const answer = playedAnswer(behaviour, format.wantsJson(body));
  return isStreaming
    ? format.toStream(answer, body)
    : [JSON.stringify(format.toWhole(answer, body))];
}

function playedAnswer(
  behaviour: Exclude<TestBehaviour, TestError>,
  wantsJson: boolean,
): PlayedAnswer {
  const given: TestAnswer =
    behaviour.type === "answer" ? behaviour : { type: "answer", text: textOf(behaviour) };
  const { toolCalls = [], json } = given;
  return {
    text: wantsJson && json !== undefined ? JSON.stringify(json) : (given.text ?? ""),
    reasoning: given.reasoning ?? "",
    refusal: behaviour.type === "refusal" ? behaviour.text : "",
    toolCalls,
    finishReason: given.finishReason ?? (toolCalls.length > 0 ? "tool_calls" : "stop"),
    usage: withDefaults({ inputTokens: 10, outputTokens: 5, cachedInputTokens: 0 }, given.usage),
    extra: given.extra ?? {},
  };
}

function textOf(behaviour: TestBehaviour): string {
  if (behaviour.type === "hang") return "Never finished.";
  return behaviour.type === "cut" ? behaviour.text : "";
}

async function send(
  response: ServerResponse,
  bytes: Uint8Array,
  chunkBytes: number,
): Promise<void> {
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    if (response.destroyed) return;
    response.write(bytes.subarray(start, start + chunkBytes));
    // Sends each piece separately.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

/** Eight numbers per text: the counts of its characters in eight classes, so that equal texts have equal vectors. */
function vectorsOf(body: JsonRecord): number[][] {
  const texts = typeof body["input"] === "string" ? [body["input"]] : arrayAt(body, "input");
  return texts.map((text) => {
    const vector = Array.from({ length: 8 }, () => 0);
    for (const character of String(text)) {
      const place = (character.codePointAt(0) ?? 0) % 8;
      vector[place] = (vector[place] ?? 0) + 1;
    }
    return vector;
  });
}
