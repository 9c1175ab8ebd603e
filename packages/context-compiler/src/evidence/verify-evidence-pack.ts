import { failure, success, type Issue, type Result } from "@ccl/core";
import { isEventKind } from "../event/check-event-data.ts";
import type { SessionEvent } from "../event/session-event.ts";
import { evidenceIssues, type EvidencePack } from "./evidence-pack.ts";

/**
 * Returns the pack if it is valid and its hash matches. If the session's events are given, each must match its entry.
 * Anyone who can change the pack can also recompute its hash. If that matters, keep the hash elsewhere.
 */
export function verifyEvidencePack(
  value: unknown,
  events?: readonly SessionEvent[],
): Result<EvidencePack> {
  const shape: Issue[] = [];
  if (!isEvidencePack(value, shape)) {
    const [first, ...rest] = shape;
    return failure(first ?? wrongShape([]), ...rest);
  }
  const [first, ...rest] = evidenceIssues(value, events);
  return first === undefined ? success(value) : failure(first, ...rest);
}

const hash = /^[0-9a-f]{64}$/;
const loneSurrogate = /\p{Surrogate}/u;
const isText = (value: unknown): boolean => typeof value === "string" && !loneSurrogate.test(value);
const isHash = (value: unknown): boolean => typeof value === "string" && hash.test(value);

function isEvidencePack(value: unknown, issues: Issue[]): value is EvidencePack {
  const { sessionId, entries, sha256 } = membersOf(value);
  if (!isText(sessionId)) issues.push(wrongShape(["sessionId"]));
  if (!isHash(sha256)) issues.push(wrongShape(["sha256"]));
  if (!Array.isArray(entries)) issues.push(wrongShape(["entries"]));
  else
    for (const [index, entry] of entries.entries()) checkEntry(entry, ["entries", index], issues);
  return issues.length === 0;
}

function checkEntry(entry: unknown, path: Issue["path"], issues: Issue[]): void {
  const { eventId, kind, timestamp, summary, artifactId, sha256, ...unknown } = membersOf(entry);
  const checks: [string, boolean][] = [
    ["eventId", isText(eventId) && eventId !== ""],
    ["kind", isEventKind(kind)],
    ["timestamp", typeof timestamp === "number" && Number.isFinite(timestamp)],
    ["summary", isText(summary)],
    ["artifactId", artifactId === undefined || isHash(artifactId)],
    ["sha256", isHash(sha256)],
    ...Object.keys(unknown).map((key): [string, boolean] => [key, false]),
  ];
  for (const [key, isRight] of checks) if (!isRight) issues.push(wrongShape([...path, key]));
}

function membersOf(value: unknown): Partial<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function wrongShape(path: Issue["path"]): Issue {
  const where = path.length === 0 ? "The pack" : path.join(".");
  return {
    code: "evidence_invalid",
    path,
    message: `${where} is missing, unknown, or of the wrong shape.`,
  };
}
