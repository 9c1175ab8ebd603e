import type { ArtifactStore } from "@ccl/artifact-store";
import { compress, findRepeat, type KnownContent } from "@ccl/compress";
import type { TokenCounter } from "@ccl/core";
import { isSameJson, jsonText, type JsonRecord, parseJson } from "@ccl/core/json";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";

import { storedLine } from "../server/server-tool.ts";

/** How to shorten results. */
export interface ResultShrinkerOptions {
  /** Maximum tokens of a text. Longer texts are shortened to it. */
  resultTokens: number;
  counter: TokenCounter;
  store: ArtifactStore;
  /** Searches in this session find its own results. */
  sessionId: string;
  /** Shared by all sessions. */
  statistics: ResultStatistics;
}

/** Tokens saved since the proxy started. */
export interface ResultStatistics {
  results: number;
  /** Tokens that a client would pass to its model: the structured content if any, else the texts. */
  before: number;
  after: number;
  shortened: number;
  repeated: number;
}

/** Shortens the results of one client's calls. */
export interface ResultShrinker {
  /**
   * Shortens a result to the budget. Stores its long texts under a handle. Some clients pass the structured content to
   * their model and drop the texts. So structured content is kept only if it fits and says the same as the texts.
   * Otherwise, one text combines both.
   */
  shrink(
    result: CallToolResult,
    call: { name: string; input: JsonRecord; signal?: AbortSignal | undefined },
  ): Promise<CallToolResult>;
}

/** Shorter texts are not stored, and not checked for repetition. */
const minTokens = 150;
/** Tokens reserved for the line that names the handle. */
const lineTokens = 60;
/** Maximum number of earlier results to compare a new one with. */
const maxKnown = 40;
const maxKnownChars = 2_000_000;

type Call = Parameters<ResultShrinker["shrink"]>[1];

/** Creates a shrinker. A later result with the same text becomes one line that refers to the first. */
export function createResultShrinker(options: ResultShrinkerOptions): ResultShrinker {
  const { resultTokens, counter, store, sessionId, statistics } = options;
  const known: KnownContent[] = [];
  const remember = (content: string, name: string): void => {
    known.push({ content, name });
    let chars = known.reduce((sum, { content: { length } }) => sum + length, 0);
    while (known.length > maxKnown || (chars > maxKnownChars && known.length > 1))
      chars -= known.shift()?.content.length ?? 0;
  };
  const shorten = async (text: string, { name, input, signal }: Call): Promise<string> => {
    const before = counter.count(text);
    if (before < minTokens) return text;
    const repeat = findRepeat(text, known);
    if (repeat !== undefined && counter.count(repeat.text) < Math.min(before, resultTokens)) {
      statistics.repeated++;
      return repeat.text;
    }
    const query = wordsOf(input).join(" ").slice(0, 2_000);
    const budget = before > resultTokens ? Math.max(resultTokens - lineTokens, 1) : resultTokens;
    const shorter = compress(text, { budget, query, counter });
    const mimeType = /^\s*[[{]/.test(text) ? "application/json" : "text/plain";
    const kept = { source: name, mimeType, sessionId, signal };
    const { artifactId } = await store.store(text, kept);
    const handle = artifactId.slice(0, 12);
    remember(
      text,
      shorter.isLossless ? `what ${name} gave before, artifact ${handle}` : `artifact ${handle}`,
    );
    if (shorter.isLossless) return shorter.tokens < before ? shorter.text : text;
    statistics.shortened++;
    return `${storedLine({ artifactId }, shorter)}\n${shorter.text}`;
  };
  return {
    async shrink(given, call) {
      const { structuredContent: structured } = given;
      const texts = given.content.flatMap((block) => textOf(block) ?? []);
      const own = structured === undefined ? undefined : jsonText(structured);
      const others = texts.filter((text) => !holds(structured, text));
      const isShown = own === undefined || others.length < texts.length;
      const whole = (isShown ? texts : [...texts, own]).join("\n");
      const short = await shorten(whole, call);
      const before = counter.count(own ?? whole);
      const isKept =
        short === whole && before <= resultTokens && (own === undefined || others.length === 0);
      statistics.results++;
      statistics.before += before;
      statistics.after += isKept ? before : counter.count(short);
      return isKept ? given : withText(given, short);
    },
  };
}

/** Replaces the first text and removes the structured content. */
function withText(given: CallToolResult, short: string): CallToolResult {
  const text: ContentBlock = { type: "text", text: short };
  const first = given.content.findIndex((block) => textOf(block) !== undefined);
  const others = given.content.filter((block) => textOf(block) === undefined);
  const result = { ...given, content: others.toSpliced(Math.max(first, 0), 0, text) };
  delete result.structuredContent;
  return result;
}

/** Returns true if the structured content says what the text says, as a whole or in its only field. */
function holds(structured: unknown, text: string): boolean {
  const value = parseJson(text) ?? text;
  const members = Object.values(structured ?? {});
  return (
    isSameJson(structured, value) ||
    (members.length === 1 && (members[0] === text || isSameJson(members[0], value)))
  );
}

/** Returns the argument values of a call as query words. Tool and parameter names would match too many lines. */
function wordsOf(input: unknown): string[] {
  if (typeof input === "string" || typeof input === "number") return [String(input)];
  return Object.values(input ?? {}).flatMap(wordsOf);
}

function textOf(block: ContentBlock): string | undefined {
  if (block.type === "text") return block.text;
  return block.type === "resource" && "text" in block.resource ? block.resource.text : undefined;
}
