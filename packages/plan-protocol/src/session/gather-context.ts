import { canonicalJson, type Issue, redactSecrets } from "@ccl/core";

import { type ContextBlock, nameOfRequest } from "../context/context-block.ts";
import { checkPath } from "../paths/check-path.ts";
import type { ContextRequest } from "../plan/plan.ts";
import { assertNotAborted } from "../plan-protocol-error.ts";
import type { CycleEntry } from "./plan-cycle.ts";
import type { ProposalRun } from "./proposal-run.ts";

/** Placeholder for a hidden secret. */
export const secretMask: RegExp = /\[redacted:[a-z0-9_]{1,40}\]/;

/**
 * Reads requested context into the cycle, unless it is already there. Then the entry's priority can only rise. A
 * priority is that of a block: 0 is for context the model requested by name.
 */
export async function gatherContext(
  run: ProposalRun,
  requests: readonly ContextRequest[],
  priorityOf: (request: ContextRequest) => number,
): Promise<void> {
  const { entries } = run.cycle;
  for (const request of requests) {
    const key = canonicalJson(request);
    const known = entries.find((entry) => canonicalJson(entry.request) === key);
    const entry: CycleEntry = known ?? { request, priority: Infinity };
    if (known === undefined) entries.push(entry);
    entry.priority = Math.min(entry.priority, priorityOf(request));
    await readEntry(run, entry);
  }
}

/** Rereads all context in the cycle, or that from some files. Returns the paths that changed. */
export async function rereadContext(
  run: ProposalRun,
  paths?: ReadonlySet<string>,
): Promise<string[]> {
  const changed = new Set<string>();
  for (const entry of run.cycle.entries) {
    const { path = "" } = fileOf(entry.request, run);
    if (paths !== undefined && !paths.has(path)) continue;
    const before = entry.block?.sha256;
    await readEntry(run, entry, true);
    if (entry.block?.sha256 !== before) changed.add(path);
  }
  return [...changed].sort();
}

/**
 * Returns the file of a request, as spelled by `checkPath`, or why it must not be read. Neither for requests of other
 * types.
 */
export function fileOf(
  request: ContextRequest,
  { policy, limits }: ProposalRun,
): { path?: string; issues?: Issue[] } {
  if (request.type !== "read_file") return {};
  const checked = checkPath(request.path, { policy, limits, use: "read" });
  return checked.ok ? { path: checked.value } : { issues: checked.issues };
}

/** Returns requests of whole files. */
export function requestsOf(paths: Iterable<string>): ContextRequest[] {
  return Array.from(paths, (path) => ({ type: "read_file", path }));
}

/** Reads an entry, unless it has the file's current state. */
async function readEntry(run: ProposalRun, entry: CycleEntry, isFresh = false): Promise<void> {
  const { recorder, workspace, signal } = run;
  const { request, block: known } = entry;
  assertNotAborted(signal);
  const { path = "", issues = [] } = fileOf(request, run);
  const hash = workspace?.readSet.get(path)?.sha256;
  const isHit = !isFresh && known !== undefined && known.sha256 === hash;
  // A file's key includes its content hash, so a changed file becomes a new entry.
  const state = request.type === "read_file" ? ` ${hash ?? "absent"}` : "";
  recorder.emit({
    type: isHit ? "CONTEXT_CACHE_HIT" : "CONTEXT_CACHE_MISS",
    key: redactSecrets(canonicalJson(request) + state).text,
  });
  if (isHit) return;
  // A protected or invalid path is never read, even if the workspace would allow it.
  const read = issues.length > 0 ? undefined : await workspace?.read([request], { signal });
  const why = issues.map(({ code, message }) => `Not read: ${code}. ${message}`).join("\n");
  const block: ContextBlock = read?.blocks[0] ?? {
    type: request.type,
    label: nameOfRequest(request),
    text: why || "Not read: nothing here can answer this.",
  };
  const { text } = redactSecrets(block.text);
  const isOwn = secretMask.test(workspace?.readSet.get(path)?.text ?? "");
  entry.block = { ...block, text };
  entry.isMasked = text !== block.text || (secretMask.test(text) && !isOwn);
  entry.unread = [...issues, ...(read?.issues ?? [])][0]?.message;
}
