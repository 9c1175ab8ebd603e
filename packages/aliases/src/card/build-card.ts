import { redactSecrets } from "@ccl/core";

import { AliasesError } from "../aliases-error.ts";
import { buildOutline } from "../outline/build/build-outline.ts";
import type { SourceInput } from "../outline/outline.ts";
import { candidateKinds, kindOfAlias } from "./card-kinds.ts";
import { finishLines } from "./card-lines.ts";
import type { Card, CardKind } from "./card.ts";
import { codeCard } from "./code-card.ts";
import { decisionCard } from "./decision-card.ts";
import { docCard } from "./doc-card.ts";
import { optionsCard } from "./options-card.ts";
import { plainCard } from "./plain-card.ts";
import { profileCard } from "./profile-card.ts";
import { schemaCard } from "./schema-card.ts";
import { createStructuredText, type StructuredText } from "./structured-text.ts";
import { testCard } from "./test-card.ts";

interface BuildCardOptions {
  signal?: AbortSignal | undefined;
}

/**
 * Builds the index card of a file: up to 10 lines of up to 100 UTF-16 units. If the content does
 * not suit a kind, the next best kind is tried, and `plain` last. Secrets are masked before a line
 * is cut. The same input gives the same card.
 */
export async function buildCard(given: SourceInput, options: BuildCardOptions = {}): Promise<Card> {
  const input = { ...given, text: given.text.replaceAll("\r\n", "\n") };
  // Masking can break JSON. The readers of structured files therefore get the original text and mask each value they
  // show.
  const masked = { ...input, text: redactSecrets(input.text).text };
  const structured = await createStructuredText(input.path, input.text);
  for (const kind of candidateKinds(input)) {
    if (options.signal?.aborted === true) {
      throw new AliasesError("aborted", `The card of ${input.path} was aborted.`, {
        cause: options.signal.reason,
      });
    }
    const isAnnounced = kind === kindOfAlias(input.alias ?? "");
    const lines = finishLines(
      (await readCard(kind, { structured, masked, isAnnounced }, options)) ?? [],
    );
    if (lines.length > 0) return { kind, lines, text: lines.join("\n") };
  }
  const lines = finishLines(plainCard(masked.text));
  return { kind: "plain", lines, text: lines.join("\n") };
}

interface CardSource {
  structured: StructuredText;
  masked: SourceInput;
  /** True if the caller or the alias named this kind. */
  isAnnounced: boolean;
}

async function readCard(
  kind: CardKind,
  source: CardSource,
  options: BuildCardOptions,
): Promise<string[] | undefined> {
  const { masked } = source;
  switch (kind) {
    case "decision":
      return decisionCard(masked.text);
    case "options":
      return optionsCard(source.structured);
    case "schema":
      return schemaCard(source.structured, { isLoose: source.isAnnounced });
    case "profile":
      return profileCard(source.structured);
    case "test":
      return testCard(masked.path, masked.text);
    case "doc":
      return docCard(masked.text);
    case "code":
      return await readCode(masked, options);
    case "plain":
      return plainCard(masked.text);
  }
}

async function readCode(
  input: SourceInput,
  { signal }: BuildCardOptions,
): Promise<string[] | undefined> {
  const outline = await buildOutline(input, { signal });
  const isCode =
    outline.language !== undefined && !["markdown", "json", "yaml"].includes(outline.language);
  return isCode ? codeCard(input.text, outline.items) : undefined;
}
