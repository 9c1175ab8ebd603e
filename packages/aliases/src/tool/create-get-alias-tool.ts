import {
  estimatedCounter,
  failure,
  success,
  type Issue,
  type Result,
  type TokenCounter,
} from "@ccl/core";
import { rankInDetail, type RankOptions } from "../rank/rank-files.ts";
import { quote } from "../registry/alias-name.ts";
import type {
  AliasContent,
  AliasRegistry,
  GetAliasOutput,
  GetAliasTool,
} from "../registry/alias-registry.ts";
import { cutToFit, lineRangeOf, type TextBounds } from "./cut-to-fit.ts";
import { nearestPaths } from "../registry/nearest-paths.ts";
import { readGetAliasInput, type GetAliasRequest } from "./get-alias-input.ts";
import { outlineLanguage } from "../outline/outline-language.ts";
import { scanDeclarations } from "../outline/scan-declarations.ts";
import { indentOf, isContinuation } from "../rank/source-chunks.ts";

/** Limits on one answer. */
export interface GetAliasToolOptions {
  /** Maximum tokens of an answer's text. Defaults to 4,000. */
  maxTokens?: number | undefined;
  /** Defaults to the estimator of @ccl/core, which leaves a tenth of `maxTokens` free. */
  counter?: TokenCounter | undefined;
}

const ESTIMATE_MARGIN = 0.1;

/**
 * Creates the tool that returns the unchanged text of a file to a model. The text is never
 * summarized or redacted, only truncated at the limits. If it is truncated, the text and `next` say
 * so. A refused call resolves to a failed result. Issues: those of `AliasRegistry.resolve`, and
 * input_invalid, lines_invalid, lines_out_of_range, symbol_unknown, search_unmatched, file_binary,
 * bound_too_small.
 */
export function createGetAliasTool(
  registry: AliasRegistry,
  options: GetAliasToolOptions = {},
): GetAliasTool {
  const { maxTokens = 4000, counter = estimatedCounter } = options;
  const bounds: TextBounds = {
    maxTokens: Math.floor(counter.isExact ? maxTokens : maxTokens * (1 - ESTIMATE_MARGIN)),
    counter,
  };
  return {
    name: "get_alias",
    description:
      "Gives the text of a file by its alias or path, as it is now. Use it when the pack shows less of a file than you need. " +
      "A long answer is cut at whole lines, and `next` says which lines to ask for next. " +
      "Takes several names at once, or words to search for where you know no name.",
    inputSchema: INPUT_SCHEMA,
    async execute(input, { signal }) {
      const checked = readGetAliasInput(input);
      if (!checked.ok) return checked;
      const { search } = checked.value;
      const requests =
        search === undefined
          ? checked.value.requests
          : await findPlaces({ registry, task: search, signal });
      if (requests.length === 0)
        return refuse("search_unmatched", `No file has any word of ${quote(search ?? "")}.`);
      const answers: Result<GetAliasOutput>[] = [];
      const share = shareOf(bounds, requests.length);
      for (const request of requests)
        answers.push(await answerOne(request, { registry, bounds: share, signal }));
      return joinAnswers(answers);
    },
  };
}

function shareOf({ maxTokens, counter }: TextBounds, count: number): TextBounds {
  return {
    maxTokens: Math.floor(maxTokens / count),
    counter,
  };
}

/** Adds the other answers to the first one. Fails only if all answers failed. */
function joinAnswers(answers: readonly Result<GetAliasOutput>[]): Result<GetAliasOutput> {
  const found = answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
  const issues = answers.flatMap((answer) => (answer.ok ? [] : answer.issues));
  const [first, ...others] = found;
  const [issue, ...rest] = issues;
  if (first === undefined)
    return issue === undefined ? refuse("input_invalid", "No alias.") : failure(issue, ...rest);
  if (answers.length === 1) return success(first);
  return success(issue === undefined ? { ...first, others } : { ...first, others, issues });
}

async function answerOne(
  request: GetAliasRequest,
  {
    registry,
    bounds,
    signal,
  }: { registry: AliasRegistry; bounds: TextBounds; signal?: AbortSignal | undefined },
): Promise<Result<GetAliasOutput>> {
  const { alias, symbol } = findEntry(registry, request.alias);
  const entries = registry.list();
  if (isPath(alias) && !entries.some((entry) => entry.alias === alias)) {
    const nearest = nearestPaths(
      alias,
      entries.map(({ path }) => path),
    );
    if (nearest.length > 0)
      return refuse(
        "alias_unknown",
        `There is no file ${quote(alias)}. Nearest: ${nearest.join(", ")}.`,
      );
  }
  const reference = request.sha8 === undefined ? alias : `${alias}@${request.sha8}`;
  const content = await registry.resolve(reference, { signal });
  if (!content.ok) return content;
  if (symbol === undefined) return answer(content.value, request, bounds);
  const lines = locateSymbol(content.value.path, content.value.text ?? "", symbol);
  return lines === undefined
    ? refuse("symbol_unknown", `${content.value.path} declares no ${quote(symbol)}.`)
    : answer(content.value, { lines }, bounds);
}

const isPath = (name: string): boolean => name.includes("/") || /\.\w+\.\w+$/.test(name);

const MAX_PLACES = 5;
/** Maximum number of file characters that a search reads. */
const SEARCH_CHARS = 200_000;

/** Finds the best lines that contain a search word, in the best files. */
async function findPlaces(options: RankOptions): Promise<GetAliasRequest[]> {
  const { read } = await rankInDetail(options, { readChars: SEARCH_CHARS });
  return read
    .filter(({ file }) => file.matched.length > 0)
    .slice(0, MAX_PLACES)
    .flatMap(({ file, chunks: [first, ...rest] }) => {
      if (first === undefined) return [];
      const best = rest.reduce(
        (densest, chunk) => (chunk.density > densest.density ? chunk : densest),
        first,
      );
      const { alias, sha8 } = file;
      return [{ alias, sha8, lines: `${best.firstLine}-${best.lastLine}` }];
    });
}

/**
 * Resolves the alias that a model passed. It may be an alias, a path, a unique end of a path, or
 * `path#symbol`.
 */
function findEntry(
  registry: AliasRegistry,
  name: string,
): { alias: string; symbol?: string | undefined } {
  const entries = registry.list();
  const find = (query: string): string | undefined => {
    const path = query.replace(/^\.?\//, "");
    const exact = entries.find((entry) => entry.alias === query || entry.path === path);
    if (exact !== undefined) return exact.alias;
    const ending = entries.filter((entry) => entry.path.endsWith(`/${path}`));
    return ending.length === 1 ? ending[0]?.alias : undefined;
  };
  const whole = find(name);
  const hash = name.lastIndexOf("#");
  if (whole !== undefined || hash < 1) return { alias: whole ?? name };
  return { alias: find(name.slice(0, hash)) ?? name.slice(0, hash), symbol: name.slice(hash + 1) };
}

const INPUT_SCHEMA = {
  type: "object",
  properties: {
    alias: {
      anyOf: [
        { type: "string" },
        { type: "array", items: { type: "string" }, minItems: 1, maxItems: 10 },
      ],
      description:
        "An alias or a path as the pack writes it, or a name in it: H.main, src/main.ts, src/main.ts#parse; or a list of these.",
    },
    search: {
      type: "string",
      description: "Words of what you look for, in place of alias: the best places are given.",
    },
    sha8: {
      type: "string",
      pattern: "^[0-9a-f]{8}$",
      description:
        "The 8 hex digits after the @; the call is refused if the file has changed since.",
    },
    lines: {
      type: "string",
      pattern: "^[0-9]+(-[0-9]*)?$",
      description: 'Lines to give, counted from 1: "10-40", "10-" to the end, "7". Default: all.',
    },
  },
  additionalProperties: false,
};

function answer(
  content: AliasContent,
  { lines }: Pick<GetAliasRequest, "lines">,
  bounds: TextBounds,
): Result<GetAliasOutput> {
  const { alias, path, sha8, text } = content;
  if (text === undefined)
    return refuse("file_binary", `${alias} is a binary file and has no text. Work without it.`);
  const allLines = splitLines(text);
  const totalLines = allLines.length;
  const range = lineRangeOf(lines, totalLines);
  if (range === undefined) {
    return refuse(
      "lines_out_of_range",
      `${alias} has ${totalLines} lines; lines ${lines} are not in it.`,
    );
  }
  const cut = cutToFit({ alias, allLines, range, endsWithLineFeed: text.endsWith("\n") }, bounds);
  if (cut === undefined) {
    return refuse(
      "bound_too_small",
      "The tool's bound is too small for any answer. Raise maxTokens.",
    );
  }
  return success({ alias, path, sha8, ...cut, totalLines });
}

/** Splits text into lines. A trailing newline ends the last line and does not start another. */
function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function refuse(code: string, message: string): { ok: false; issues: Issue[] } {
  return failure({ code, path: [], message });
}

const COMMENT = /^\s*(?:\/\/|\/?\*)/;
/** Matches directives, comments and labels, which start at the margin regardless of nesting. */
const MARGIN = /^(?:#|\w+:\s*$)/;

/**
 * Finds where a file declares a name. Returns its lines, including the comment above, as `12-40`.
 * Returns undefined if the file does not declare the name.
 */
function locateSymbol(path: string, text: string, symbol: string): string | undefined {
  const lines = text.split("\n");
  const language = outlineLanguage(path);
  const at = lines.findIndex(
    (line) =>
      line.includes(symbol) &&
      !COMMENT.test(line) &&
      scanDeclarations(line, language).includes(symbol),
  );
  if (at < 0) return undefined;
  const indent = indentOf(lines[at] ?? "");
  let last = at;
  for (let next = at + 1; next < lines.length; next += 1) {
    const line = lines[next] ?? "";
    const depth = indentOf(line);
    if (depth < 0 || MARGIN.test(line)) continue;
    if (depth < indent || (depth === indent && !isContinuation(line, lines[next - 1]))) break;
    last = next;
  }
  let first = at;
  while (first > 0 && /^\s*(?:\/\/|\/?\*|#|@)/.test(lines[first - 1] ?? "")) first -= 1;
  return `${first + 1}-${last + 1}`;
}
