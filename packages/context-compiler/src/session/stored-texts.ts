import type { KnownContent } from "@ccl/compress";

import { shownIdDigits } from "../externalize/render-artifact.ts";

/** Texts that a session put into its store, so that a result that says the same again can refer to them. */
export interface StoredTexts {
  /** A text that the store has, though the log may not name it yet. */
  offer(artifactId: string, text: string): void;
  /** The log names the artifact from now on. */
  confirm(artifactId: string): void;
  /** Those that the log names, oldest first. */
  known(): readonly KnownContent[];
}

const maxTexts = 16;
const maxTotalChars = 4_000_000;

/** The newest 16 texts, of 4,000,000 characters together. */
export function createStoredTexts(): StoredTexts {
  const offered = new Map<string, KnownContent>();
  const known = new Map<string, KnownContent>();
  return {
    offer(artifactId, content) {
      if (content.length > maxTotalChars) return;
      const name = `artifact ${artifactId.slice(0, shownIdDigits)}`;
      offered.delete(artifactId);
      offered.set(artifactId, known.get(artifactId) ?? { name, content });
      dropOldest(offered);
    },
    confirm(artifactId) {
      const text = offered.get(artifactId);
      if (text === undefined) return;
      offered.delete(artifactId);
      known.delete(artifactId);
      known.set(artifactId, text);
      dropOldest(known);
    },
    known: () => [...known.values()],
  };
}

function dropOldest(texts: Map<string, KnownContent>): void {
  let chars = 0;
  for (const { content } of texts.values()) chars += content.length;
  for (const [artifactId, { content }] of texts) {
    if (texts.size <= maxTexts && chars <= maxTotalChars) return;
    texts.delete(artifactId);
    chars -= content.length;
  }
}
