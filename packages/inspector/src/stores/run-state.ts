import {
  readState,
  type ArtifactVersion,
  type OperationArtifact,
  type RunInput,
} from "@ccl/operations";
import { diffArtifactVersions } from "@ccl/operations/diff";
import type { OperationStores } from "@ccl/operations";

import type { RunDetailsView } from "../views.ts";

/** Returns the state that the run's profile keeps in its chat, with its stored versions. */
export async function stateOf(
  { chatId, branchId, profile }: RunInput,
  { chat }: Pick<OperationStores, "chat">,
): Promise<OperationArtifact[]> {
  if (profile === undefined) return [];
  const { profileId, operationProfileSessionId } = profile;
  const key = { chatId, branchId, profileId, operationProfileSessionId };
  return readState(chat, key);
}

function keptVersions(artifact: OperationArtifact): ArtifactVersion[] {
  return [...artifact.history, artifact];
}

/** Returns an artifact's value in the turn of a run: the run's own version, or the newest one before it. */
export function valueAtTurn(
  artifact: OperationArtifact,
  { runId, startedAt }: RunInput,
): ArtifactVersion | undefined {
  return (
    keptVersions(artifact).findLast((version) => version.runId === runId) ??
    keptVersions(artifact).findLast(({ writtenAt }) => writtenAt <= startedAt)
  );
}

/** Returns each artifact with its versions, newest first, and each version's diff. */
export function artifactsOf(
  artifacts: readonly OperationArtifact[],
  runId: string,
): RunDetailsView["artifacts"] {
  return artifacts.map((artifact) => ({
    tag: artifact.tag,
    versions: keptVersions(artifact)
      .toReversed()
      .map((version) => ({
        version: version.version,
        runId: version.runId,
        isOfRun: version.runId === runId,
        timeMs: version.writtenAt,
        diff: diffOf(artifact, version.version),
      })),
  }));
}

const marks = { same: " ", removed: "-", added: "+" } as const;

function diffOf(artifact: OperationArtifact, to: number): string {
  const diff = diffArtifactVersions(artifact, { to });
  // The parent version is no longer stored, so show the whole value.
  const whole = diff.ok ? diff : diffArtifactVersions(artifact, { from: 0, to });
  if (!whole.ok) return whole.issues[0]?.message ?? "";
  return whole.value.lines.map(({ kind, text }) => `${marks[kind]}${text}`).join("\n");
}
