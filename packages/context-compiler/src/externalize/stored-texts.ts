import type { KnownContent } from "@ccl/compress";

import { shownIdDigits } from "./render-artifact.ts";

/** Texts in a session's artifact store. A later result with the same content can refer to them. */
export interface StoredTexts {
  /** Adds a text that is stored but may not be in the log yet. */
  offer(artifactId: string, text: string): void;
  /** Marks the artifact as recorded in the log. */
  confirm(artifactId: string): void;
  /** Returns the texts of artifacts in the log, oldest first. */
  known(): readonly KnownContent[];
}

const maxTexts = 16;
const maxTotalChars = 4_000_000;

/** Keeps the newest 16 texts, with up to 4,000,000 characters in total. */
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
