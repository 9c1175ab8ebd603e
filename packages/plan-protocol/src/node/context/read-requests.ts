import { assertNotAborted } from "../../plan-protocol-error.ts";
import { createPathMatcher } from "@ccl/core/glob";
import { systemCode } from "@ccl/core/node";
import { redactSecrets, type Result, success } from "@ccl/core";

import { applyContextDiet } from "../../context/apply-context-diet.ts";
import { type ContextBlock, nameOfRequest } from "../../context/context-block.ts";
import { checkPath } from "../../paths/check-path.ts";
import type { ContextRequest } from "../../plan/plan.ts";
import { quote, refusal } from "../../plan-issue.ts";
import type { FulfilledContext } from "../../workspace/plan-workspace.ts";
import { fileAt, textIn } from "../file-system/look-at.ts";
import type { WorkspaceParts } from "../file-system/workspace-parts.ts";
import { searchFiles, type SearchOutcome } from "./search-files.ts";

const MAX_QUERY_CHARACTERS = 1_000;

/** The part of a block that the request itself does not give. */
type Answer = Result<Partial<ContextBlock> & Pick<ContextBlock, "text">>;

/** Answers requests in order, with one block each. Files it reads are added to the read set. */
export async function readRequests(
  parts: WorkspaceParts,
  requests: readonly ContextRequest[],
  signal: AbortSignal | undefined,
): Promise<FulfilledContext> {
  const fulfilled: FulfilledContext = { blocks: [], issues: [] };
  for (const request of requests) {
    assertNotAborted(signal);
    const { type } = request;
    const answer = await answerRequest(request, parts, signal);
    const issues = answer.ok ? [] : answer.issues;
    const [{ code, message } = { code: "", message: "" }] = [
      ...issues.filter((issue) => issue.code === "PROTECTED_PATH"),
      ...issues,
    ];
    const read = answer.ok ? answer.value : { text: `Not read: ${code}. ${message}` };
    const block = { type, label: nameOfRequest(request), ...read };
    const [cut] = applyContextDiet([block], { ...parts.limits, maxContextFiles: 1 }).blocks;
    fulfilled.blocks.push(cut ?? { ...block, text: "" });
    if (answer.ok) continue;
    fulfilled.issues.push({ request, code, message });
    if (type === "read_file") parts.unread.set(request.path, message);
  }
  return fulfilled;
}

async function answerRequest(
  request: ContextRequest,
  parts: WorkspaceParts,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  try {
    if (request.type === "read_file") return await readFileRequest(request, parts);
    if (request.type === "search") return await searchRequest(request, parts, signal);
    const text = await (request.type === "env"
      ? parts.env?.(signal)
      : parts.logs?.(request.source, request.last_n, signal));
    return text === undefined
      ? refuse(`This workspace has no source for requests of type ${request.type}`)
      : success({ text: redactSecrets(text).text });
  } catch (error) {
    assertNotAborted(signal);
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
  { root, policy, limits, readSet, unread }: WorkspaceParts,
): Promise<Answer> {
  const checked = checkPath(request.path, { policy, limits, use: "read" });
  if (!checked.ok) return checked;
  const path = checked.value;
  const file = await fileAt(root, path);
  if (!file.ok) return file;
  const text = textIn(file.value, path);
  if (!text.ok) return text;
  const range = rangeOf(request, text.value);
  if (!range.ok) return range;
  const { sha256 } = file.value;
  readSet.set(path, { sha256, text: text.value });
  unread.delete(path);
  return success({ sha256, label: path + range.value.suffix, text: range.value.text });
}

/** Returns the requested lines with their original line endings, and how a label names them. */
function rangeOf(
  { path, start_line, end_line }: Extract<ContextRequest, { type: "read_file" }>,
  text: string,
): Result<{ text: string; suffix: string }> {
  if (start_line === undefined && end_line === undefined) return success({ text, suffix: "" });
  const [start, end] = [start_line ?? 1, end_line ?? Infinity];
  const isRange = Number.isInteger(start) && start >= 1 && end >= start;
  if (!isRange) return refuse(`Lines ${start} to ${end} are not a range; line numbers start at 1`);
  const lines = text.split(/(?<=\n)/);
  if (start > Math.max(1, lines.length))
    return refuse(`${quote(path)} has ${lines.length} lines, fewer than ${start}`);
  const suffix = `:${start}-${end_line ?? ""}`;
  return success({ text: lines.slice(start - 1, end).join(""), suffix });
}

async function searchRequest(
  { query, glob = "" }: Extract<ContextRequest, { type: "search" }>,
  { root, policy, limits }: WorkspaceParts,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  if (query.trim() === "")
    return refuse("An empty query matches everything; give a string to search for");
  if (query.length + glob.length > MAX_QUERY_CHARACTERS)
    return refuse(
      `A query and its glob must not exceed ${MAX_QUERY_CHARACTERS} characters together`,
    );
  const plain = glob.replace(/^\.?\//, "");
  const pattern = plain.includes("/") ? plain : `**/${plain || "*"}`;
  const isInGlob = createPathMatcher(pattern, { hasBraces: true });
  if (isInGlob === undefined) return refuse(`The glob ${quote(glob)} has too many alternatives`);
  const outcome = await searchFiles(root, query, {
    isWanted: (path) => isInGlob(path) && checkPath(path, { policy, use: "read" }).ok,
    maxHits: limits.maxSearchHits,
    signal,
  });
  const label = glob === "" ? query : `${query} in ${glob}`;
  return success({ label, text: redactSecrets(renderHits(outcome)).text });
}

function renderHits({ hits, stoppedBy, searchedFiles }: SearchOutcome): string {
  const lines = hits.map(({ path, line, text }) => `${path}:${line}: ${text}`);
  if (hits.length === 0) lines.push(`No hits in ${searchedFiles} files.`);
  if (stoppedBy !== undefined)
    lines.push(`[stopped at the limit of ${stoppedBy}; there may be more]`);
  return lines.join("\n");
}

function refuse(reason: string): ReturnType<typeof refusal> {
  return refusal("ERR_CONTEXT_REQUEST", `${reason}.`);
}
