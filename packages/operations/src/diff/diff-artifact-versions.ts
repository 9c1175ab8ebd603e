import { failure, type Result, success } from "@ccl/core";
import { diffArrays } from "diff";

import type { ArtifactVersion, OperationArtifact } from "../artifact/operation-artifact.ts";

/** Which versions to compare. */
export interface DiffArtifactOptions {
  /** Defaults to the parent of `to`. 0 is the state before the first version. */
  from?: number | undefined;
  /** Defaults to the artifact's current version. */
  to?: number | undefined;
}

/** One line of a side-by-side diff. */
interface DiffLine {
  kind: "same" | "removed" | "added";
  text: string;
}

/** The difference between two versions of an artifact. */
export interface ArtifactDiff {
  tag: string;
  from: number;
  to: number;
  /** All lines of both versions. Strings are compared as is, other values as JSON indented by 2. */
  lines: DiffLine[];
}

/**
 * Compares two versions that an artifact holds. The artifact may come from an operation or a session store. Returns the
 * issue `unknown_version` if a version never existed or retention has dropped it. Values that differ in more than 1,000
 * lines count as replaced.
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
  const lines = diffLines(before === undefined ? [] : linesOf(before.value), linesOf(after.value));
  return success({ tag: artifact.tag, from: since, to, lines });
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
  const message = `art.${artifact.tag} has no version ${version}; it has ${held.join(", ")}.`;
  return failure({ code: "unknown_version", path: [option], message });
}

function linesOf(value: unknown): string[] {
  return (typeof value === "string" ? value : JSON.stringify(value, undefined, 2)).split("\n");
}

// Finding the shortest edit script of two long, dissimilar lists can take minutes.
const maxEdits = 1_000;

function diffLines(before: string[], after: string[]): DiffLine[] {
  const changes = diffArrays(before, after, { maxEditLength: maxEdits }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  return changes.flatMap(({ value, removed, added }) =>
    value.map((text): DiffLine => ({
      kind: removed ? "removed" : added ? "added" : "same",
      text,
    })),
  );
}
