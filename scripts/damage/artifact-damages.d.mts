import type { ArtifactHandle, ArtifactStore } from "@ccl/artifact-store";

export interface FilledStore {
  handles: ArtifactHandle[];
  bytesById: Map<string, Buffer>;
}

export interface DamageCounts {
  /** Damages that changed a byte. */
  runs: number;
  notOpened: number;
  /** After how many of them a read or `verify` said so. */
  reported: number;
  /** After how many of them something was lost or wrong, and nothing said so. */
  unseen: number;
  /** How many artifacts, and how many handles, one damage cost. */
  mostContents: number;
  mostHandles: number;
  /** What came back and was never written. */
  wrongContents: number;
  wrongHandles: number;
}

export function fillStore(store: ArtifactStore): Promise<FilledStore>;
export function tryDamages(options: {
  files: ReadonlyMap<string, Buffer>;
  filled: FilledStore;
  runs: number;
  open(files: ReadonlyMap<string, Buffer>): Promise<ArtifactStore>;
}): Promise<DamageCounts>;
