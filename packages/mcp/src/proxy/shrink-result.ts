import type { ArtifactStore } from "@ccl/artifact-store";
import { compress, findRepeat, type KnownContent } from "@ccl/compress";
import type { TokenCounter } from "@ccl/core";
import { isSameJson, jsonText, type JsonRecord, parseJson } from "@ccl/core/json";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";

import { storedLine } from "../server/stored-line.ts";

/** How far results shrink. */
export interface ResultShrinkerOptions {
  /** Larger texts are cut to it. */
  resultTokens: number;
  counter: TokenCounter;
  store: ArtifactStore;
  /** What a session stored is found by its searches. */
  sessionId: string;
  /** Counted on over all sessions. */
  statistics: ResultStatistics;
}

/** What was saved so far. */
export interface ResultStatistics {
  results: number;
  /** Tokens of what a client gives its model: the structured content where there is some, else the texts. */
  before: number;
  after: number;
  shortened: number;
  repeated: number;
}

/** Makes the results of one client's calls smaller. */
export interface ResultShrinker {
  /**
   * The result within the budget, its long texts shortened and kept under a handle. Some clients give their model the structured
   * content alone, others the texts alone, so each holds what the other holds.
   */
  shrink(
    result: CallToolResult,
    call: { name: string; input: JsonRecord; signal?: AbortSignal | undefined },
  ): Promise<CallToolResult>;
}

/** Texts below it are neither kept nor looked for again. */
const minTokens = 150;
/** For the line that names the handle. */
const lineTokens = 60;
/** Results that a later one is compared with. */
const maxKnown = 40;
const maxKnownChars = 2_000_000;

type Call = Parameters<ResultShrinker["shrink"]>[1];

/** Results as they come are remembered, so that the next of the same text becomes one line that names the first. */
export function createResultShrinker(options: ResultShrinkerOptions): ResultShrinker {
  const { resultTokens, store, sessionId, statistics } = options;
  const known: KnownContent[] = [];
  const remember = (content: string, name: string): void => {
    known.push({ content, name });
    let chars = known.reduce((sum, { content: { length } }) => sum + length, 0);
    while (known.length > maxKnown || (chars > maxKnownChars && known.length > 1))
      chars -= known.shift()?.content.length ?? 0;
  };
  const shorten = async (
    text: string,
    counter: TokenCounter,
    { name, input, signal }: Call,
  ): Promise<{ text: string; handle?: string }> => {
    const before = counter.count(text);
    if (before < minTokens) return { text };
    const repeat = findRepeat(text, known);
    if (repeat !== undefined && counter.count(repeat.text) < Math.min(before, resultTokens)) {
      statistics.repeated++;
      return { text: repeat.text };
    }
    const query = `${name} ${jsonText(input)}`.slice(0, 2_000);
    const budget = before > resultTokens ? Math.max(resultTokens - lineTokens, 1) : resultTokens;
    const shorter = compress(text, { budget, query, counter });
    const mimeType = typeOf(text);
    const { artifactId } = await store.store(text, { source: name, mimeType, sessionId, signal });
    const handle = artifactId.slice(0, 12);
    const { isLossless } = shorter;
    remember(
      text,
      isLossless ? `what ${name} gave before, artifact ${handle}` : `artifact ${handle}`,
    );
    if (isLossless) return { text: shorter.tokens < before ? shorter.text : text };
    statistics.shortened++;
    return { text: `${storedLine({ artifactId }, shorter)}\n${shorter.text}`, handle };
  };
  return {
    async shrink(given, call) {
      const { structuredContent: structured } = given;
      const texts = given.content.flatMap((block) => textOf(block) ?? []);
      const own = structured === undefined ? undefined : jsonText(structured);
      const isShown = own === undefined || texts.some((text) => holds(structured, text));
      const whole = (isShown ? texts : [...texts, own]).join("\n");
      const { counter } = options;
      // In structured content a text stands as JSON, which counts more.
      const handle = "0".repeat(12);
      const asGiven = {
        ...counter,
        count: (text: string) => counter.count(jsonText({ text, handle })),
      };
      const short = await shorten(whole, own === undefined ? counter : asGiven, call);
      const before = counter.count(own ?? whole);
      const isKept = short.text === whole && before <= resultTokens;
      const result = isKept ? given : withText(given, short);
      const { structuredContent: shown } = result;
      statistics.results++;
      statistics.before += before;
      statistics.after += counter.count(shown === undefined ? short.text : jsonText(shown));
      return result;
    },
  };
}

/** The text in the place of the first one, and where a client looks that reads structured content alone. */
function withText(
  { content, structuredContent, ...rest }: CallToolResult,
  short: { text: string; handle?: string },
): CallToolResult {
  const text: ContentBlock = { type: "text", text: short.text };
  const first = content.findIndex((block) => textOf(block) !== undefined);
  const others = content.filter((block) => textOf(block) === undefined);
  const blocks = others.toSpliced(Math.max(first, 0), 0, text);
  return {
    ...rest,
    content: blocks,
    ...(structuredContent === undefined ? {} : { structuredContent: { ...short } }),
  };
}

/** True where the structured content says what the text says, by itself or as its only member. */
function holds(structured: unknown, text: string): boolean {
  const value = parseJson(text) ?? text;
  const members = Object.values(structured ?? {});
  return (
    isSameJson(structured, value) ||
    (members.length === 1 && (members[0] === text || isSameJson(members[0], value)))
  );
}

function textOf(block: ContentBlock): string | undefined {
  if (block.type === "text") return block.text;
  return block.type === "resource" && "text" in block.resource ? block.resource.text : undefined;
}

function typeOf(text: string): string {
  return /^\s*[[{]/.test(text) ? "application/json" : "text/plain";
}
