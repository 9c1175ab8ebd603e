import type { RunDetailsView } from "@ccl/inspector";
import {
  readState,
  type ArtifactVersion,
  type OperationArtifact,
  type RunInput,
} from "@ccl/operations";
import { diffArtifactVersions } from "@ccl/operations/diff";
import type { OperationStores } from "@ccl/operations/sqlite";

/** The state that the run's profile keeps in its chat, with the versions that are kept. */
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

/** What the turn of a run had of an artifact: what the run itself wrote, or the newest from before it. */
export function valueAtTurn(
  artifact: OperationArtifact,
  { runId, startedAt }: RunInput,
): ArtifactVersion | undefined {
  return (
    keptVersions(artifact).findLast((version) => version.runId === runId) ??
    keptVersions(artifact).findLast(({ writtenAt }) => writtenAt <= startedAt)
  );
}

/** Each artifact with its versions, the newest first, and what each changed. */
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
  // Its parent is no longer kept: all of it is shown.
  const whole = diff.ok ? diff : diffArtifactVersions(artifact, { from: 0, to });
  if (!whole.ok) return whole.issues[0]?.message ?? "";
  return whole.value.lines.map(({ kind, text }) => `${marks[kind]}${text}`).join("\n");
}
