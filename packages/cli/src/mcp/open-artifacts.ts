import { resolve } from "node:path";

import { type ArtifactFolder, openArtifactFolder, stateFolder } from "../artifact-folder.ts";
import type { Session } from "../session.ts";

/** The artifacts of the user, which the gateway keeps in the same folder. */
export async function openArtifacts(
  { terminal }: Session,
  { state }: { state?: string | undefined },
): Promise<ArtifactFolder> {
  const folder = state === undefined ? stateFolder(terminal) : resolve(terminal.cwd(), state);
  return await openArtifactFolder(folder);
}
