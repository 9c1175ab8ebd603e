import type { ArtifactHandle } from "@ccl/artifact-store";
import type { CompressedContent } from "@ccl/compress";

/** The line that says what was left out, and where the whole is. */
export function storedLine(
  { artifactId }: Pick<ArtifactHandle, "artifactId">,
  { shown, omitted, numbering }: Pick<CompressedContent, "shown" | "omitted" | "numbering">,
): string {
  const count = `${shown} of ${shown + omitted} ${numbering}`;
  return `[artifact ${artifactId.slice(0, 12)}: ${count} shown; search_artifact or read_artifact give the rest]`;
}
