import { assertNotAborted } from "../../plan-protocol-error.ts";
import { createPathMatcher } from "@ccl/core/glob";
import { systemCode } from "@ccl/core/node";
import { failure, redactSecrets, type Result, success } from "@ccl/core";

import { applyContextDiet } from "../../context/apply-context-diet.ts";
import { type ContextBlock, nameOfRequest } from "../../context/context-block.ts";
import { checkPath } from "../../paths/check-path.ts";
import type { ContextRequest } from "../../plan/plan.ts";
import { quote, refusal } from "../../plan-issue.ts";
import type { FulfilledContext } from "../../workspace/plan-workspace.ts";
import { fileIn, lookAt, MAX_TEXT_BYTES, textIn } from "../transaction/look-at.ts";
import type { WorkspaceParts } from "../file-system/workspace-parts.ts";
import { searchFiles, type SearchOutcome } from "./search-files.ts";

/** Context sources other than the workspace's files. */
export interface ContextPorts {
  /** Returns the last lines of a log source. `lastN` is undefined if the model gave no number. */
  logs?:
    | ((
        source: string,
        lastN: number | undefined,
        signal: AbortSignal | undefined,
      ) => Promise<string>)
    | undefined;
  env?: ((signal: AbortSignal | undefined) => Promise<string>) | undefined;
}

const MAX_QUERY_CHARACTERS = 1_000;

type Answer = Result<ContextBlock>;

/** Answers requests in order, with one block each. Files it reads are added to the read set. */
export async function readRequests(
  parts: WorkspaceParts,
  requests: readonly ContextRequest[],
  { ports, signal }: { ports: ContextPorts; signal: AbortSignal | undefined },
): Promise<FulfilledContext> {
  const fulfilled: FulfilledContext = { blocks: [], issues: [] };
  for (const request of requests) {
    assertNotAborted(signal);
    const answer = await answerRequest(request, { parts, ports, signal });
    if (answer.ok) {
      fulfilled.blocks.push(bounded(parts, answer.value));
      continue;
    }
    const { code = "", message = "" } = answer.issues[0] ?? {};
    fulfilled.issues.push({ request, code, message });
    if (request.type === "read_file") parts.unread.set(request.path, message);
    const text = `Not read: ${code}. ${message}`;
    fulfilled.blocks.push(bounded(parts, blockOf(request, text)));
  }
  return fulfilled;
}

interface AnswerContext {
  parts: WorkspaceParts;
  ports: ContextPorts;
  signal: AbortSignal | undefined;
}

async function answerRequest(request: ContextRequest, context: AnswerContext): Promise<Answer> {
  try {
    if (request.type === "read_file") return await readFileRequest(request, context);
    if (request.type === "search") return await searchRequest(request, context);
    return await portRequest(request, context);
  } catch (error) {
    assertNotAborted(context.signal);
    const code = systemCode(error);
    if (request.type === "logs" || request.type === "env")
      return refuse(
        `${request.type} could not be read (${code ?? (error instanceof Error ? error.name : "unknown")})`,
      );
    if (code === undefined) throw error;
    return refusal("ERR_IO", `${quote(nameOfRequest(request))} could not be read (${code}).`);
  }
}

async function readFileRequest(
  request: Extract<ContextRequest, { type: "read_file" }>,
  { parts }: AnswerContext,
): Promise<Answer> {
  const checked = checkPath(request.path, {
    policy: parts.policy,
    limits: parts.limits,
    use: "read",
  });
  if (!checked.ok) {
    const isProtected = checked.issues.find(({ code }) => code === "PROTECTED_PATH");
    return isProtected === undefined ? checked : failure(isProtected);
  }
  const path = checked.value;
  const found = await lookAt(parts.root, path, MAX_TEXT_BYTES);
  if (!found.ok) return found;
  const file = fileIn(found.value, path);
  if (!file.ok) return file;
  const text = textIn(file.value, path);
  if (!text.ok) return text;
  const lines = linesOf(text.value, request);
  if (!lines.ok) return lines;
  const { sha256 } = file.value;
  parts.readSet.set(path, { sha256, text: text.value });
  parts.unread.delete(path);
  const label = rangeLabel(path, request);
  return success({ type: "read_file", label, text: lines.value, sha256 });
}

/** Returns the requested lines with their original line endings. */
function linesOf(
  text: string,
  request: Extract<ContextRequest, { type: "read_file" }>,
): Result<string> {
  const { start_line: start = 1, end_line: end = Infinity } = request;
  if (request.start_line === undefined && request.end_line === undefined) return success(text);
  const isRange = Number.isInteger(start) && start >= 1 && end >= start;
  if (!isRange) return refuse(`Lines ${start} to ${end} are not a range. Lines count from 1`);
  const lines = text.split(/(?<=\n)/);
  if (start > Math.max(1, lines.length))
    return refuse(`${quote(request.path)} has ${lines.length} lines, fewer than ${start}`);
  return success(lines.slice(start - 1, end).join(""));
}

async function searchRequest(
  { query, glob = "" }: Extract<ContextRequest, { type: "search" }>,
  { parts, signal }: AnswerContext,
): Promise<Answer> {
  if (query.trim() === "")
    return refuse("An empty query matches everything. Name a string to find");
  if (query.length + glob.length > MAX_QUERY_CHARACTERS)
    return refuse(`A query and its glob have at most ${MAX_QUERY_CHARACTERS} characters`);
  const plain = glob.replace(/^\.?\//, "");
  const pattern = plain.includes("/") ? plain : `**/${plain || "*"}`;
  const isInGlob = createPathMatcher(pattern, { hasBraces: true });
  if (isInGlob === undefined) return refuse(`The glob ${quote(glob)} has too many alternatives`);
  const outcome = await searchFiles(parts.root, query, {
    isWanted: (path) => isInGlob(path) && checkPath(path, { policy: parts.policy, use: "read" }).ok,
    maxHits: parts.limits.maxSearchHits,
    signal,
  });
  const label = glob === "" ? query : `${query} in ${glob}`;
  return success({ type: "search", label, text: redactSecrets(renderHits(outcome)).text });
}

function renderHits({ hits, stoppedBy, searchedFiles }: SearchOutcome): string {
  const lines = hits.map(({ path, line, text }) => `${path}:${line}: ${text}`);
  if (hits.length === 0) lines.push(`No hits in ${searchedFiles} files.`);
  if (stoppedBy !== undefined)
    lines.push(`[stopped at the limit of ${stoppedBy}; there may be more]`);
  return lines.join("\n");
}

async function portRequest(
  request: Extract<ContextRequest, { type: "logs" | "env" }>,
  { ports, signal }: AnswerContext,
): Promise<Answer> {
  const text = await (request.type === "env"
    ? ports.env?.(signal)
    : ports.logs?.(request.source, request.last_n, signal));
  return text === undefined
    ? refuse(`Nothing here can answer a request of type ${request.type}`)
    : success(blockOf(request, redactSecrets(text).text));
}

function blockOf(request: ContextRequest, text: string): ContextBlock {
  return { type: request.type, label: nameOfRequest(request), text };
}

function bounded({ limits }: WorkspaceParts, block: ContextBlock): ContextBlock {
  const [cut] = applyContextDiet([block], { ...limits, maxContextFiles: 1 }).blocks;
  return cut ?? { ...block, text: "" };
}

function rangeLabel(path: string, request: Extract<ContextRequest, { type: "read_file" }>): string {
  const { start_line: start, end_line: end } = request;
  if (start === undefined && end === undefined) return path;
  return `${path}:${start ?? 1}-${end ?? ""}`;
}

function refuse(reason: string): ReturnType<typeof refusal> {
  return refusal("ERR_CONTEXT_REQUEST", `${reason}.`);
}
