import { throwIfAborted } from "@ccl/core/async";
import { redactSecrets } from "@ccl/core";

import type { ContextBlock } from "../context/context-block.ts";
import { checkPath } from "../paths/check-path.ts";
import type { ContextRequest } from "../plan/plan.ts";
import { type CachedContext, type CycleEntry, requestKey } from "./plan-cycle.ts";
import type { ProposalRun } from "./proposal-run.ts";
import { PlanProtocolError } from "../plan-protocol-error.ts";

/** How a batch of requests is treated. */
export interface GatherOptions {
  /** As in a block: 0 is what the model asked for by name. */
  priority: (request: ContextRequest) => number;
  /** Reads again what the cache has. */
  isFresh?: boolean | undefined;
}

const MASK = /\[redacted:[a-z0-9_]{1,40}\]/;

/** Reads what is asked for into the cycle, from its cache where that has it. What is there already only gains in priority. */
export async function gatherContext(
  run: ProposalRun,
  requests: readonly ContextRequest[],
  { priority, isFresh = false }: GatherOptions,
): Promise<void> {
  const { cycle } = run;
  for (const request of requests) {
    throwIfAborted(run.signal, PlanProtocolError);
    const key = requestKey(request);
    const read = await readThroughCache(run, request, isFresh);
    const known = cycle.entries.find((entry) => entry.key === key);
    if (known === undefined)
      cycle.entries.push({ request, key, priority: priority(request), ...read });
    else Object.assign(known, read, { priority: Math.min(known.priority, priority(request)) });
  }
}

/** Reads all files of the cycle again and gives the paths that are not what they were. */
export async function rereadFiles(
  run: ProposalRun,
  paths?: ReadonlySet<string>,
): Promise<string[]> {
  const changed = new Set<string>();
  for (const entry of run.cycle.entries) {
    const { request } = entry;
    const path = filePathOf(request, run);
    if (path === undefined || (paths !== undefined && !paths.has(path))) continue;
    const before = hashOf(entry);
    await gatherContext(run, [request], { priority: () => entry.priority, isFresh: true });
    if (hashOf(entry) !== before) changed.add(path);
  }
  return [...changed].sort();
}

/** The file of a request as `checkPath` spells it; undefined for other requests and for paths that may not be read. */
export function filePathOf(
  request: ContextRequest,
  { policy, limits }: ProposalRun,
): string | undefined {
  if (request.type !== "read_file") return undefined;
  const checked = checkPath(request.path, { policy, limits, use: "read" });
  return checked.ok ? checked.value : undefined;
}

async function readThroughCache(
  run: ProposalRun,
  request: ContextRequest,
  isFresh: boolean,
): Promise<CachedContext> {
  const { cycle, recorder, workspace, signal } = run;
  const key = cacheKey(run, request);
  const cached = isFresh ? undefined : cycle.cache.get(key);
  recorder.countContext(request.type, key, cached !== undefined);
  if (cached !== undefined) return cached;
  const blocks =
    refusalOf(run, request) ??
    (await workspace?.read([request], signalOption(signal)))?.blocks ??
    [];
  throwIfAborted(signal, PlanProtocolError);
  const read = masked(run, request, blocks.length === 0 ? [missing(request)] : blocks);
  cycle.cache.set(cacheKey(run, request), read);
  return read;
}

/** A file's key holds its content's hash, so that a changed file is another entry. */
function cacheKey(run: ProposalRun, request: ContextRequest): string {
  const path = filePathOf(request, run);
  const hash = path === undefined ? undefined : run.workspace?.readSet.get(path)?.sha256;
  return request.type === "read_file"
    ? `${requestKey(request)} ${hash ?? "absent"}`
    : requestKey(request);
}

/** What a protected or impossible path gets, whatever the workspace thinks of it. */
function refusalOf(run: ProposalRun, request: ContextRequest): ContextBlock[] | undefined {
  if (request.type !== "read_file") return undefined;
  const checked = checkPath(request.path, { policy: run.policy, limits: run.limits, use: "read" });
  if (checked.ok) return undefined;
  const text = checked.issues
    .map(({ code, message }) => `Not read: ${code}. ${message}`)
    .join("\n");
  return [{ type: "read_file", label: request.path, text }];
}

function missing(request: ContextRequest): ContextBlock {
  return {
    type: request.type,
    label: labelOfRequest(request),
    text: "Not read: nothing here can answer this.",
  };
}

function labelOfRequest(request: ContextRequest): string {
  if (request.type === "read_file") return request.path;
  if (request.type === "search") return request.query;
  return request.type === "logs" ? request.source : "env";
}

function masked(
  run: ProposalRun,
  request: ContextRequest,
  blocks: readonly ContextBlock[],
): CachedContext {
  const path = filePathOf(request, run);
  const original = path === undefined ? undefined : run.workspace?.readSet.get(path)?.text;
  const isOwn = original !== undefined && MASK.test(original);
  const result = blocks.map((block) => ({ ...block, text: redactSecrets(block.text).text }));
  const isMasked = result.some(
    ({ text }, index) => text !== blocks[index]?.text || (MASK.test(text) && !isOwn),
  );
  return { blocks: result, isMasked };
}

function hashOf({ blocks }: CycleEntry): string | undefined {
  return blocks.find((block) => block.sha256 !== undefined)?.sha256;
}

function signalOption(signal: AbortSignal | undefined): { signal?: AbortSignal | undefined } {
  return signal === undefined ? {} : { signal };
}
