import { join } from "node:path";

import { compress } from "@ccl/compress";
import { estimatedCounter } from "@ccl/core";

import { openArtifactFolder, stateFolder } from "../artifact-folder.ts";
import type { CommandResult } from "../output/command-result.ts";
import { readInput } from "../plan/read-input.ts";
import type { Session } from "../session.ts";

/** Flags of `ccl shrink`. */
export interface ShrinkFlags {
  budget: number;
  state?: string | undefined;
}

/** Digits of an artifact's id that are shown. */
const shownDigits = 12;

/** A command's output as a model should read it: what the question asks for and what went wrong; the whole is kept. */
export async function shrink(
  session: Session,
  question: string | undefined,
  { budget, state }: ShrinkFlags,
): Promise<CommandResult> {
  const text = await readInput(session, undefined, "output to shorten");
  const tokens = estimatedCounter.count(text);
  const { text: shown, isLossless, ...shape } = compress(text, { budget, query: question ?? "" });
  if (isLossless || tokens <= budget) {
    const kept = isLossless ? shown : text;
    return {
      document: { text: kept, tokens, isLossless: true },
      text: () => (kept.endsWith("\n") ? kept : `${kept}\n`),
    };
  }
  const folder = await openArtifactFolder(state ?? join(stateFolder(session.terminal)));
  try {
    const { artifactId } = await folder.store.store(text, {
      source: "ccl shrink",
      mimeType: "text/plain",
      summary: (question ?? "").slice(0, 200),
      signal: session.signal,
    });
    const id = artifactId.slice(0, shownDigits);
    const hint = `[${shape.tokens} of ${tokens} tokens. The rest: ccl artifacts search ${id} "words", or ccl artifacts read ${id} --lines 1-80]`;
    return {
      document: {
        text: shown,
        tokens,
        shownTokens: shape.tokens,
        isLossless,
        artifactId,
        kept: folder.kind,
        ranges: shape.ranges,
      },
      text: () => `${shown}\n${hint}\n`,
    };
  } finally {
    await folder.close();
  }
}
