import { ArtifactStoreError } from "@ccl/artifact-store";
import { type ContentHits, searchContent, type SearchContentOptions } from "@ccl/compress";
import type { ToolDefinition } from "@ccl/core";
import {
  type ArtifactSource,
  defaultAnswerTokens,
  findSource,
  type FoundArtifact,
  isText,
  maxAnswerTokens,
  maxNumberedBytes,
  notFound,
  refuseArtifact,
  storedPages,
} from "./artifact-source.ts";

/** The model's input to a search. */
export interface SearchArtifactInput {
  /** The artifact's id, or the leading digits shown in the prompt. Searches the whole conversation by default. */
  handle?: string | undefined;
  scope?: "all" | undefined;
  query: string;
  /** True if the query is a regular expression in RE2 syntax. */
  regex?: boolean | undefined;
  /** Number of context lines around a hit. */
  around?: number | undefined;
  /** Token limit for the answer. 400 by default. */
  maxTokens?: number | undefined;
}

/**
 * Creates the tool `search_artifact`, which finds lines and rows in stored results, by words or a regular expression.
 */
export function searchArtifactTool(
  source: ArtifactSource,
): ToolDefinition<SearchArtifactInput, string> {
  return {
    name: "search_artifact",
    description:
      "Finds lines or table rows in stored results by words, ids or a regular expression (RE2), with what stands around them " +
      "and their numbers. Name the result by the id shown in the conversation, or leave handle out to search all of them.",
    inputSchema: {
      type: "object",
      properties: {
        handle: { type: "string" },
        scope: { enum: ["all"] },
        query: { type: "string", minLength: 1 },
        regex: { type: "boolean" },
        around: { type: "integer", minimum: 0, maximum: 50 },
        maxTokens: { type: "integer", minimum: 50, maximum: maxAnswerTokens },
      },
      required: ["query"],
      additionalProperties: false,
    },
    execute: (input, { signal }) => searchArtifacts(input, source, signal),
  };
}

async function searchArtifacts(
  input: SearchArtifactInput,
  source: ArtifactSource,
  signal: AbortSignal | undefined,
): Promise<string> {
  const refusal = refuseSearch(input);
  if (refusal !== undefined) return refusal;
  const pattern = input.regex === true ? await compilePattern(input.query) : undefined;
  if (typeof pattern === "string") return pattern;
  try {
    return await searchSources(input, { source, pattern, signal });
  } catch (error) {
    if (!ArtifactStoreError.isInstance(error) || error.code === "aborted") throw error;
    return refuseArtifact(input.handle ?? "all", `the store failed (${error.code})`);
  }
}
interface SearchContext {
  source: ArtifactSource;
  pattern: SearchContentOptions["pattern"];
  signal: AbortSignal | undefined;
}

async function searchSources(
  { handle, query, around, maxTokens: budget = defaultAnswerTokens }: SearchArtifactInput,
  { source, pattern, signal }: SearchContext,
): Promise<string> {
  const { artifacts, older, damaged } = await sourcesOf(handle, source, signal);
  const { counter } = source;
  const options = { query, around, pattern, counter, budget: budget - headTokens };
  const found: FoundPiece[] = [];
  let unread = damaged;
  for (const artifact of artifacts) {
    try {
      found.push(...(await searchOne(artifact, { source, options, signal })));
    } catch (error) {
      const isLeftOut = ArtifactStoreError.isInstance(error) && error.code !== "aborted";
      if (!isLeftOut || artifacts.length === 1) throw error;
      unread += 1;
    }
  }
  if (artifacts.length + unread === 0) return refuseArtifact(handle ?? "all", notFound);
  const rest = [
    ...(older === 0 ? [] : [`${older} older`]),
    ...(unread === 0 ? [] : [`${unread} that can't be read`]),
  ];
  const tail = rest.length === 0 ? "" : `\n[not searched: ${rest.join(", ")}]`;
  if (found.length === 0)
    return `[nothing in ${namesOf(artifacts)} matches ${JSON.stringify(query.slice(0, 200))}]${tail}`;
  return `${showBest(found, { options, budget: budget - counter.count(tail) })}${tail}`;
}

/** Checks the input. Models do not always follow the schema, so the answer explains what to change. */
function refuseSearch({ query, scope, handle }: Partial<SearchArtifactInput>): string | undefined {
  if (typeof query !== "string" || query.trim() === "")
    return "[nothing to look for: query has to be words, ids or, with regex, an expression]";
  if (handle !== undefined && typeof handle !== "string")
    return "[handle has to be the id of one result, as text; leave it out to search all of them]";
  return String(scope ?? "all") === "all"
    ? undefined
    : `[unknown scope ${JSON.stringify(scope).slice(0, 80)}: leave it out, or name one result by handle]`;
}

/** Tokens reserved for the line that names the artifact. */
const headTokens = 30;
/** Maximum number of artifacts that a search without a handle covers, newest first. */
const maxArtifacts = 50;
/** Characters per piece, for artifacts that are searched in pieces. */
const pieceChars = 2_000_000;
/** Maximum number of pieces to show hits from. */
const maxShown = 4;
/** Pieces that score below this share of the best piece's score are not shown. */
const goodShare = 0.6;

/** Lists the sources to search, newest first, and counts stored results that are left out. */
async function sourcesOf(
  handle: string | undefined,
  source: ArtifactSource,
  signal: AbortSignal | undefined,
): Promise<{ artifacts: FoundArtifact[]; older: number; damaged: number }> {
  if (handle !== undefined && handle !== "") {
    const found = await findSource(handle, source, signal);
    return { artifacts: found === undefined ? [] : [found], older: 0, damaged: 0 };
  }
  const oldestFirst: FoundArtifact[] = [];
  let damaged = 0;
  if (source.session === undefined)
    for await (const page of storedPages(source.store, signal)) {
      oldestFirst.push(...page.handles);
      damaged += page.damaged?.length ?? 0;
    }
  else
    oldestFirst.push(
      ...source.session.eventLog.filter(["artifact_stored"]).map(({ data }) => data),
    );
  const known = new Map<string, FoundArtifact>();
  for (const found of oldestFirst.toReversed())
    if (isText(found.mimeType)) known.set(found.artifactId, found);
  const artifacts = [...known.values()].slice(0, maxArtifacts);
  return { artifacts, older: known.size - artifacts.length, damaged };
}

interface FoundPiece {
  artifact: FoundArtifact;
  text: string;
  firstLine: number;
  hits: ContentHits;
}

interface Search {
  source: ArtifactSource;
  options: SearchContentOptions;
  signal: AbortSignal | undefined;
}

/** Finds the pieces of an artifact with the best hits, in artifact order. */
async function searchOne(
  artifact: FoundArtifact,
  { source, options, signal }: Search,
): Promise<FoundPiece[]> {
  const stream = await source.store.retrieveStream(artifact.artifactId, { signal });
  if (stream === undefined) return [];
  let best: FoundPiece[] = [];
  const chars = artifact.sizeBytes > maxNumberedBytes ? pieceChars : maxNumberedBytes;
  for await (const { text, firstLine } of textPieces(stream, chars)) {
    const hits = searchContent(text, { ...options, firstLine });
    if (hits.found > 0) best.push({ artifact, text, firstLine, hits });
    if (best.length > maxShown) best = bestOf(best);
  }
  return best;
}

function bestOf(pieces: readonly FoundPiece[]): FoundPiece[] {
  const ranked = pieces.toSorted((a, b) => b.hits.score - a.hits.score);
  const threshold = goodShare * (ranked[0]?.hits.score ?? 0);
  const best = new Set(ranked.slice(0, maxShown).filter(({ hits }) => hits.score >= threshold));
  return pieces.filter((piece) => best.has(piece));
}

/**
 * Divides the budget among the best pieces. If any of them would get no line, shows fewer pieces and only names the
 * others.
 */
function showBest(
  found: readonly FoundPiece[],
  { options, budget }: { options: SearchContentOptions; budget: number },
): string {
  const best = bestOf(found);
  const ranked = best.toSorted((a, b) => b.hits.score - a.hits.score);
  for (let count = ranked.length; count > 0; count -= 1) {
    const pieceBudget =
      Math.floor((budget - (count < best.length ? headTokens : 0)) / count) - headTokens;
    const shown = best
      .filter((piece) => ranked.indexOf(piece) < count)
      .map(({ artifact, text, firstLine, hits }) => {
        const isShort = hits.tokens <= pieceBudget;
        const short = isShort
          ? hits
          : searchContent(text, { ...options, firstLine, budget: pieceBudget });
        const head = `[artifact ${namesOf([artifact])}, ${artifact.mimeType}]`;
        return short.text === "" ? "" : `${head}\n${short.text}`;
      });
    if (shown.includes("")) continue;
    const others = new Set(ranked.slice(count).map(({ artifact }) => namesOf([artifact])));
    return [...shown, ...[...others].map((id) => `[artifact ${id} matches too]`)].join("\n");
  }
  return refuseArtifact("all", `no line that matches fits ${budget} tokens; raise maxTokens`);
}

function namesOf(artifacts: readonly FoundArtifact[]): string {
  return artifacts.length === 1
    ? (artifacts[0]?.artifactId.slice(0, 12) ?? "")
    : `${artifacts.length} stored results`;
}

/** Compiles a model's regular expression so that it always runs in linear time. */
async function compilePattern(query: string): Promise<{ test(text: string): boolean } | string> {
  const { RE2JS } = await import("re2js");
  try {
    return RE2JS.compile(query, RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown";
    return `[the regular expression can't be read: ${reason}; repair it, or leave regex out to search by words]`;
  }
}

/** A piece of a text. Contains whole lines, unless a single line is longer than a piece. */
interface TextPiece {
  text: string;
  /** Number of its first line, from 1. */
  firstLine: number;
}

/**
 * Splits a UTF-8 stream into pieces of about `pieceChars` characters. Holds only one piece at a
 * time.
 */
async function* textPieces(
  stream: AsyncIterable<Uint8Array>,
  pieceChars: number,
): AsyncGenerator<TextPiece> {
  const decoder = new TextDecoder();
  let text = "";
  let firstLine = 1;
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length < pieceChars) continue;
    const end = text.lastIndexOf("\n") + 1 || text.length;
    yield { text: text.slice(0, end), firstLine };
    firstLine += text.slice(0, end).split("\n").length - 1;
    text = text.slice(end);
  }
  text += decoder.decode();
  if (text !== "") yield { text, firstLine };
}
