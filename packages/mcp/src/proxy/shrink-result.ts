import type { ArtifactStore } from "@ccl/artifact-store";
import { compress, findRepeat, type KnownContent } from "@ccl/compress";
import type { TokenCounter } from "@ccl/core";
import { jsonText, type JsonRecord } from "@ccl/core/json";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";

import { storedLine } from "../server/stored-line.ts";

/** How far results shrink. */
export interface ResultShrinkerOptions {
  /** Larger texts are cut to it. */
  resultTokens: number;
  counter: TokenCounter;
  store: ArtifactStore;
}

/** What was saved so far. */
export interface ResultStatistics {
  results: number;
  /** Tokens of their texts. */
  before: number;
  after: number;
  shortened: number;
  repeated: number;
}

/** Makes the results of one client's calls smaller. */
export interface ResultShrinker {
  readonly statistics: Readonly<ResultStatistics>;
  /** The result with its long texts shortened and kept under a handle; the rest as it came. */
  shrink(
    result: CallToolResult,
    call: { name: string; input: JsonRecord; signal?: AbortSignal | undefined },
  ): Promise<CallToolResult>;
}

/** Texts below it are neither kept nor looked for again. */
const minTokens = 150;
/** Results that a later one is compared with. */
const maxKnown = 40;
const maxKnownChars = 2_000_000;

/** Results as they come are remembered, so that the next of the same text becomes one line that names the first. */
export function createResultShrinker({
  resultTokens,
  counter,
  store,
}: ResultShrinkerOptions): ResultShrinker {
  const statistics = { results: 0, before: 0, after: 0, shortened: 0, repeated: 0 };
  const known: KnownContent[] = [];
  const remember = (content: string, artifactId: string): void => {
    known.push({ content, name: `artifact ${artifactId.slice(0, 12)}` });
    let chars = known.reduce((sum, { content: { length } }) => sum + length, 0);
    while (known.length > maxKnown || (chars > maxKnownChars && known.length > 1))
      chars -= known.shift()?.content.length ?? 0;
  };

  const shrinkText = async (
    text: string,
    { name, input, signal }: Parameters<ResultShrinker["shrink"]>[1],
  ): Promise<string> => {
    const before = counter.count(text);
    statistics.results++;
    statistics.before += before;
    const shown = before < minTokens ? text : await shorten();
    statistics.after += shown === text ? before : counter.count(shown);
    return shown;

    async function shorten(): Promise<string> {
      const repeat = findRepeat(text, known);
      if (repeat !== undefined && counter.count(repeat.text) < Math.min(before, resultTokens)) {
        statistics.repeated++;
        return repeat.text;
      }
      const query = `${name} ${jsonText(input)}`.slice(0, 2_000);
      const shorter = compress(text, { budget: resultTokens, query, counter });
      const { artifactId } = await store.store(text, {
        source: name,
        mimeType: typeOf(text),
        signal,
      });
      remember(text, artifactId);
      if (shorter.isLossless) return shorter.tokens < before ? shorter.text : text;
      statistics.shortened++;
      return `${storedLine({ artifactId }, shorter)}\n${shorter.text}`;
    }
  };
  return {
    statistics,
    async shrink(result, call) {
      const content: ContentBlock[] = [];
      for (const block of result.content)
        content.push(
          block.type === "text" ? { ...block, text: await shrinkText(block.text, call) } : block,
        );
      return { ...result, content };
    },
  };
}

function typeOf(text: string): string {
  return /^\s*[[{]/.test(text) ? "application/json" : "text/plain";
}
