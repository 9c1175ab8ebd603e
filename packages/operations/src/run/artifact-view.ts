import { isArtifactEffect } from "../effects/is-effect-of.ts";
import type { ArtifactWrite, OperationArtifact } from "../artifact/operation-artifact.ts";
import type { OperationEffect } from "../effects/operation-effect.ts";

/** Artifacts by tag. Frozen. */
export type ArtifactMap = Readonly<Record<string, OperationArtifact>>;

/** Creates an object that is safe with any keys. */
export function toArtifactMap(artifacts: Iterable<OperationArtifact>): ArtifactMap {
  const entries = [...artifacts].map((artifact): [string, OperationArtifact] => [
    artifact.tag,
    artifact,
  ]);
  return Object.freeze(Object.fromEntries(entries));
}

/** What a write follows: the stored value, or for a `run_only` write whatever the tag holds. */
export function formerOf(
  { artifacts, persisted }: { artifacts: ArtifactMap; persisted: ArtifactMap },
  write: ArtifactWrite,
): OperationArtifact | undefined {
  const known = write.persisted ? persisted : artifacts;
  return Object.hasOwn(known, write.tag) ? known[write.tag] : undefined;
}

/** The one write among an operation's effects. */
export function writeOf(effects: readonly OperationEffect[]): ArtifactWrite | undefined {
  return effects.find(isArtifactEffect);
}
