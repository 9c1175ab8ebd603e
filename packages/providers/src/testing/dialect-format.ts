import type { JsonRecord } from "@ccl/core/json";
import type { TestAnswer, TestError } from "./test-behaviour.ts";

/** An answer with everything decided that the script left open. */
export interface PlayedAnswer {
  text: string;
  reasoning: string;
  refusal: string;
  toolCalls: NonNullable<TestAnswer["toolCalls"]>;
  finishReason: "stop" | "length" | "content_filter" | "tool_calls";
  usage: { inputTokens: number; outputTokens: number; cachedInputTokens: number };
  extra: JsonRecord;
}

/** One API as the server plays it: what it demands of a call, and its bodies. */
export interface DialectFormat {
  chatPath: string | RegExp;
  /** The fields of a call without which the API refuses it. */
  required: readonly string[];
  embeddingsPath?: string | undefined;
  requestIdHeader?: string | undefined;
  streamType: string;
  isStreaming(body: JsonRecord, path: string): boolean;
  /** What the API says against a body; undefined when nothing. */
  objection(body: JsonRecord, headers: Record<string, unknown>): TestError | undefined;
  keyOf(headers: Record<string, unknown>): unknown;
  /** The call asks for JSON, and this API heeds it. */
  wantsJson(body: JsonRecord): boolean;
  toWhole(answer: PlayedAnswer, body: JsonRecord): JsonRecord;
  /** The texts of a stream as they go over the wire, line ends included. */
  toStream(answer: PlayedAnswer, body: JsonRecord): string[];
  toError(error: TestError): JsonRecord;
  toEmbeddings?(vectors: number[][], body: JsonRecord): JsonRecord;
}

/** Pieces of three characters, as a model might stream them. */
export function piecesOf(text: string): string[] {
  return text.match(/.{1,3}/gsu) ?? [];
}
