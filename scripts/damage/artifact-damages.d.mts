import type { ArtifactHandle, ArtifactStore } from "@ccl/artifact-store";

export interface FilledStore {
  handles: ArtifactHandle[];
  bytesById: Map<string, Buffer>;
}

export interface DamageCounts {
  /** Damages that changed a byte. */
  runs: number;
  notOpened: number;
  /** How often a read failed. */
  reported: number;
  /** How many artifacts one damage cost. */
  mostLost: number;
  /** Contents that came back wrong, or were said not to be there. */
  wrongContents: number;
  /** Listings that differ without an error. */
  wrongHandles: number;
}

export function fillStore(store: ArtifactStore): Promise<FilledStore>;
export function tryDamages(options: {
  files: ReadonlyMap<string, Buffer>;
  filled: FilledStore;
  runs: number;
  open(files: ReadonlyMap<string, Buffer>): Promise<ArtifactStore>;
}): Promise<DamageCounts>;
