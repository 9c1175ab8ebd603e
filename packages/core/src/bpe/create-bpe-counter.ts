import { countMessages } from "../tokens/count-messages.ts";
import {
  findPieceEnd,
  contractionLength,
  findNumberEnd,
  findSpaceEnd,
} from "../tokens/find-piece-end.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { BpeCounterError } from "./bpe-counter-error.ts";
import { PieceMerger } from "./piece-merger.ts";
import { TokenTable } from "./token-table.ts";
import {
  classAt,
  findRunEnd,
  LETTER,
  NEWLINE,
  NUMBER,
  SPACE,
  SYMBOL,
  widthAt,
} from "../tokens/character-classes.ts";

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
    const known = Object.keys(vocabularies).join(" or ");
    throw new BpeCounterError(
      "unknown_encoding",
      `Unknown encoding "${String(encoding)}". Use ${known}.`,
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
    const message = "The vocabulary was not returned by loadVocabulary, or it is truncated.";
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

/**
 * Finds the end of the piece that starts at `start`, by the split pattern of cl100k_base. In this
 * pattern, case does not split words.
 */
function findCl100kPieceEnd(text: string, start: number): number {
  const first = classAt(text, start);
  if (first & NUMBER) return findNumberEnd(text, start);
  const contraction = contractionLength(text, start);
  if (contraction > 0) return start + contraction;
  if (!(first & NEWLINE)) {
    const wordStart = isLetter(first) ? start : start + widthAt(text, start);
    const wordEnd = findLettersEnd(text, wordStart);
    if (wordEnd > wordStart) return wordEnd;
  }
  const symbolStart = text.charCodeAt(start) === 0x20 ? start + 1 : start;
  const symbolEnd = findRunEnd(text, symbolStart, SYMBOL);
  if (symbolEnd > symbolStart) return findRunEnd(text, symbolEnd, NEWLINE);
  const spaceEnd = findRunEnd(text, start, SPACE);
  return spaceEnd === text.length ? spaceEnd : findSpaceEnd(text, start);
}

function findLettersEnd(text: string, start: number): number {
  let end = start;
  while (isLetter(classAt(text, end))) end++;
  return end;
}

function isLetter(bits: number): boolean {
  return (bits & LETTER) !== 0 && !(bits & SYMBOL);
}

const encoder = new TextEncoder();

/**
 * Packs a vocabulary into bytes, which load some 20 times faster than a module. The format is the
 * number of ranks (32 bits, little endian), the length of each token, then their bytes.
 * `vocabulary[rank]` is a token's text, or its bytes if they are not valid text. An unused rank has
 * length 0.
 */
function packVocabulary(
  vocabulary: readonly (string | readonly number[] | undefined)[],
): Uint8Array {
  const tokens = Array.from(vocabulary, (token = "") =>
    typeof token === "string" ? encoder.encode(token) : Uint8Array.from(token),
  );
  const length = tokens.reduce((sum, token) => sum + token.length, 4 + tokens.length);
  const packed = new Uint8Array(length);
  new DataView(packed.buffer).setUint32(0, tokens.length, true);
  packed.set(
    Uint8Array.from(tokens, (token) => token.length),
    4,
  );
  let at = 4 + tokens.length;
  for (const token of tokens) {
    packed.set(token, at);
    at += token.length;
  }
  return packed;
}
