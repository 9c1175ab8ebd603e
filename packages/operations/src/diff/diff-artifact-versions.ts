import { failure, type Result, success } from "@ccl/core";

import { editScript } from "./edit-script.ts";
import { jsonPatch, type JsonPatchOperation } from "./json-patch.ts";
import type { ArtifactVersion, OperationArtifact } from "../artifact/operation-artifact.ts";

/** Which versions are compared. */
export interface DiffArtifactOptions {
  /** Default the parent of `to`; 0 is the time before the first one. */
  from?: number | undefined;
  /** Default the artifact's own. */
  to?: number | undefined;
}

/** A line of two texts put side by side. */
interface DiffLine {
  kind: "same" | "removed" | "added";
  text: string;
}

/** What separates two versions of an artifact. */
export interface ArtifactDiff {
  tag: string;
  from: number;
  to: number;
  /** For programs: turns the one value into the other. Empty where they are equal. */
  patch: JsonPatchOperation[];
  /** For people: all lines of both, of a text as it is and of anything else as JSON with an indent of 2. */
  lines: DiffLine[];
}

/**
 * Compares two versions that an artifact holds, as an operation or a session store gives it. `unknown_version` is the
 * issue of one that was never there, or that its retention has dropped. Where lists or texts differ in more than 1,000
 * places, what differs counts as replaced.
 */
export function diffArtifactVersions(
  artifact: OperationArtifact,
  { from, to = artifact.version }: DiffArtifactOptions = {},
): Result<ArtifactDiff> {
  const find = (version: number): ArtifactVersion | undefined =>
    versionsOf(artifact).find((held) => held.version === version);
  const after = find(to);
  if (after === undefined) return unknownVersion("to", to, artifact);
  const since = from ?? after.parentVersion ?? 0;
  const before = find(since);
  if (before === undefined && since !== 0) return unknownVersion("from", since, artifact);
  const patch: JsonPatchOperation[] =
    before === undefined
      ? [{ op: "add", path: "", value: after.value }]
      : jsonPatch(before.value, after.value);
  const lines = diffLines(before === undefined ? [] : linesOf(before.value), linesOf(after.value));
  return success({ tag: artifact.tag, from: since, to, patch, lines });
}

function versionsOf(artifact: OperationArtifact): ArtifactVersion[] {
  return [...artifact.history, artifact];
}

function unknownVersion(
  option: keyof DiffArtifactOptions,
  version: number,
  artifact: OperationArtifact,
): Result<never> {
  const held = versionsOf(artifact).map((kept) => kept.version);
  const message = `art.${artifact.tag} does not hold version ${version}; it holds ${held.join(", ")}.`;
  return failure({ code: "unknown_version", path: [option], message });
}

function linesOf(value: unknown): string[] {
  return (typeof value === "string" ? value : JSON.stringify(value, undefined, 2)).split("\n");
}

function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let [left, right] = [0, 0];
  for (const { kind, count } of editScript(before, after)) {
    const texts =
      kind === "removed" ? before.slice(left, left + count) : after.slice(right, right + count);
    for (const text of texts) lines.push({ kind, text });
    if (kind !== "added") left += count;
    if (kind !== "removed") right += count;
  }
  return lines;
}
