import type { JsonRecord } from "@ccl/core/json";
import type { TestAnswer, TestError } from "./test-behaviour.ts";

/** An answer of the script with all defaults filled in. */
export interface PlayedAnswer {
  text: string;
  reasoning: string;
  refusal: string;
  toolCalls: NonNullable<TestAnswer["toolCalls"]>;
  finishReason: "stop" | "length" | "content_filter" | "tool_calls";
  usage: { inputTokens: number; outputTokens: number; cachedInputTokens: number };
  extra: JsonRecord;
}

/** One API that the server simulates: its checks of a call, and its bodies. */
export interface DialectFormat {
  chatPath: string | RegExp;
  /** Fields that the API requires. */
  required: readonly string[];
  embeddingsPath?: string | undefined;
  requestIdHeader?: string | undefined;
  streamType: string;
  isStreaming(body: JsonRecord, path: string): boolean;
  /** The API's error for a body. Undefined if it accepts it. */
  objection(body: JsonRecord, headers: Record<string, unknown>): TestError | undefined;
  keyOf(headers: Record<string, unknown>): unknown;
  /** True if the call asks for JSON and this API supports that. */
  wantsJson(body: JsonRecord): boolean;
  toWhole(answer: PlayedAnswer, body: JsonRecord): JsonRecord;
  /** The texts of a stream as sent, with line ends. */
  toStream(answer: PlayedAnswer, body: JsonRecord): string[];
  toError(error: TestError): JsonRecord;
  toEmbeddings?(vectors: number[][], body: JsonRecord): JsonRecord;
}

/** Pieces of three characters, as a model might stream them. */
export function piecesOf(text: string): string[] {
  return text.match(/.{1,3}/gsu) ?? [];
}
