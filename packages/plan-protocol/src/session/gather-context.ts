import { assertNotAborted } from "../plan-protocol-error.ts";
import { redactSecrets, type Result } from "@ccl/core";

import { type ContextBlock, nameOfRequest } from "../context/context-block.ts";
import { checkPath } from "../paths/check-path.ts";
import type { ContextRequest } from "../plan/plan.ts";
import { type CycleEntry, hashIn, requestKey } from "./plan-cycle.ts";
import type { ProposalRun } from "./proposal-run.ts";

/** How to handle a batch of requests. */
export interface GatherOptions {
  /** As in a block: 0 is for context the model requested by name. */
  priority: (request: ContextRequest) => number;
  /** Rereads entries that the cycle already has. */
  isFresh?: boolean | undefined;
}

/** Placeholder for a hidden secret. */
export const secretMask: RegExp = /\[redacted:[a-z0-9_]{1,40}\]/;

/** Reads requested context into the cycle, unless it is already there. Then the entry's priority can only rise. */
export async function gatherContext(
  run: ProposalRun,
  requests: readonly ContextRequest[],
  { priority, isFresh = false }: GatherOptions,
): Promise<void> {
  const { cycle, recorder, workspace, signal } = run;
  for (const request of requests) {
    assertNotAborted(signal);
    const key = requestKey(request);
    const path = filePathOf(request, run);
    const hash = path === undefined ? undefined : workspace?.readSet.get(path)?.sha256;
    const known = cycle.entries.find((entry) => entry.key === key);
    const isHit =
      !isFresh && known !== undefined && known.blocks.length > 0 && hashIn(known.blocks) === hash;
    // A file's key includes its content hash, so a changed file becomes a new entry.
    const name = request.type === "read_file" ? `${key} ${hash ?? "absent"}` : key;
    recorder.emit({
      type: isHit ? "CONTEXT_CACHE_HIT" : "CONTEXT_CACHE_MISS",
      key: redactSecrets(name).text,
    });
    const read = isHit ? known : await readRequest(run, request);
    const rank = Math.min(known?.priority ?? Infinity, priority(request));
    const entry = { request, key, ...read, priority: rank };
    if (known === undefined) cycle.entries.push(entry);
    else Object.assign(known, entry);
  }
}

/** Rereads all files in the cycle and returns the paths that changed. */
export async function rereadFiles(
  run: ProposalRun,
  paths?: ReadonlySet<string>,
): Promise<string[]> {
  const changed = new Set<string>();
  for (const entry of run.cycle.entries) {
    const path = filePathOf(entry.request, run);
    if (path === undefined || (paths !== undefined && !paths.has(path))) continue;
    const before = hashIn(entry.blocks);
    await gatherContext(run, [entry.request], { priority: () => entry.priority, isFresh: true });
    if (hashIn(entry.blocks) !== before) changed.add(path);
  }
  return [...changed].sort();
}

/**
 * Returns the file of a request, as spelled by `checkPath`. Undefined for other requests and for paths that must not be
 * read.
 */
export function filePathOf(request: ContextRequest, run: ProposalRun): string | undefined {
  const checked = checkedPath(request, run);
  return checked?.ok === true ? checked.value : undefined;
}

function checkedPath(
  request: ContextRequest,
  { policy, limits }: ProposalRun,
): Result<string> | undefined {
  if (request.type !== "read_file") return undefined;
  return checkPath(request.path, { policy, limits, use: "read" });
}

async function readRequest(
  run: ProposalRun,
  request: ContextRequest,
): Promise<Pick<CycleEntry, "blocks" | "isMasked">> {
  const { workspace, signal } = run;
  const checked = checkedPath(request, run);
  const { type } = request;
  const unread = (text: string): ContextBlock[] => [{ type, label: nameOfRequest(request), text }];
  let blocks: ContextBlock[] = [];
  // A protected or invalid path is never read, even if the workspace would allow it.
  if (checked?.ok === false)
    blocks = unread(
      checked.issues.map(({ code, message }) => `Not read: ${code}. ${message}`).join("\n"),
    );
  else if (workspace !== undefined) blocks = (await workspace.read([request], { signal })).blocks;
  if (blocks.length === 0) blocks = unread("Not read: nothing here can answer this.");
  const path = filePathOf(request, run);
  const original = path === undefined ? undefined : workspace?.readSet.get(path)?.text;
  const isOwn = original !== undefined && secretMask.test(original);
  const masked = blocks.map((block) => ({ ...block, text: redactSecrets(block.text).text }));
  const isMasked = masked.some(
    ({ text }, index) => text !== blocks[index]?.text || (secretMask.test(text) && !isOwn),
  );
  return { blocks: masked, isMasked };
}
