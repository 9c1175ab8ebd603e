import { countMessages } from "../tokens/count-messages.ts";
import { findPieceEnd } from "../tokens/find-piece-end.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { BpeCounterError } from "./bpe-counter-error.ts";
import { findCl100kPieceEnd } from "./find-cl100k-piece-end.ts";
import { packVocabulary } from "./pack-vocabulary.ts";
import { PieceMerger } from "./piece-merger.ts";
import { TokenTable } from "./token-table.ts";

/** The encodings of OpenAI's models: `o200k_base` since GPT-4o, `cl100k_base` before. */
export type BpeEncoding = "o200k_base" | "cl100k_base";

const longestCachedPiece = 128;
const cachedPieces = 50_000;
const warmUpBytes = 4_000;

/** Options of `createBpeCounter`. */
export interface BpeCounterOptions {
  /**
   * The bytes that `loadVocabulary` returned, for example from a file. Without them,
   * `gpt-tokenizer` is loaded.
   */
  vocabulary?: Uint8Array | undefined;
}

/**
 * Creates an exact counter from the vocabulary of the optional peer `gpt-tokenizer`, or from a
 * packed vocabulary. Counts special tokens such as `<|endoftext|>` as ordinary text. Rejects with
 * `tokenizer_missing` if the peer is absent.
 */
export async function createBpeCounter(
  encoding: BpeEncoding,
  options?: BpeCounterOptions,
): Promise<TokenCounter> {
  const vocabulary = options?.vocabulary ?? (await loadVocabulary(encoding));
  const merger = new PieceMerger(tableOf(vocabulary));
  // Warm up the merger. It runs some 20 times slower until the engine has compiled it, which would
  // delay the first long piece.
  merger.count(new TextDecoder().decode(vocabulary.subarray(-warmUpBytes)));
  const count = createPieceCounter(
    merger,
    encoding === "o200k_base" ? findPieceEnd : findCl100kPieceEnd,
  );
  return {
    name: encoding,
    isExact: true,
    count,
    countMessages: (messages, tools) => countMessages(count, messages, tools),
  };
}

/**
 * Loads the peer's vocabulary of an encoding as bytes for `createBpeCounter`. They take 1.5 to 2 MB
 * and can be stored in a file.
 */
export async function loadVocabulary(encoding: BpeEncoding): Promise<Uint8Array> {
  const load = vocabularies[encoding];
  if (load === undefined) {
    const known = Object.keys(vocabularies).join(" and ");
    throw new BpeCounterError(
      "unknown_encoding",
      `There is no encoding "${String(encoding)}"; there are ${known}.`,
    );
  }
  try {
    return packVocabulary((await load()).default);
  } catch (cause) {
    const message = `An exact token counter needs the package "gpt-tokenizer" (3.4 or later); install it beside @ccl/core.`;
    throw new BpeCounterError("tokenizer_missing", message, { cause });
  }
}

function tableOf(vocabulary: Uint8Array): TokenTable {
  try {
    return new TokenTable(vocabulary);
  } catch (cause) {
    const message = "The vocabulary is not one that loadVocabulary gave, or it was cut off.";
    throw new BpeCounterError("invalid_vocabulary", message, { cause });
  }
}

const vocabularies: Partial<
  Record<BpeEncoding, () => Promise<{ default: readonly (string | readonly number[])[] }>>
> = {
  o200k_base: () => import("gpt-tokenizer/bpeRanks/o200k_base"),
  cl100k_base: () => import("gpt-tokenizer/bpeRanks/cl100k_base"),
};

function createPieceCounter(
  merger: PieceMerger,
  findEnd: typeof findPieceEnd,
): (text: string) => number {
  const cache = new Map<string, number>();
  const countPiece = (piece: string): number => {
    const cached = cache.get(piece);
    if (cached !== undefined) return cached;
    const tokens = merger.count(piece);
    if (piece.length > longestCachedPiece) return tokens;
    if (cache.size === cachedPieces) cache.clear();
    cache.set(copyOf(piece), tokens);
    return tokens;
  };
  return (text) => {
    let tokens = 0;
    for (let start = 0; start < text.length;) {
      const end = findEnd(text, start);
      tokens += countPiece(text.slice(start, end));
      start = end;
    }
    return tokens;
  };
}

/** Copies the piece, because a cached slice would keep the whole text in memory. */
function copyOf(piece: string): string {
  return String.fromCharCode(
    ...Array.from({ length: piece.length }, (_, index) => piece.charCodeAt(index)),
  );
}
