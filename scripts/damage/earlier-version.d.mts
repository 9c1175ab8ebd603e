import type { ArtifactHandle, ArtifactStore } from "@ccl/artifact-store";

export const earlierLimits: { maxStoreBytes: number; maxSessionBytes: number };

export function readEarlier(
  fixture: URL,
): Promise<{ handles: ArtifactHandle[]; files: Record<string, string> }>;

export function unpackEarlier(files: Record<string, string>): Promise<string>;

export function useEarlier(store: ArtifactStore, handles: readonly ArtifactHandle[]): Promise<void>;
