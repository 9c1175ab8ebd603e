import { throwIfAborted } from "@ccl/core/async";
import { AliasesError } from "../aliases-error.ts";
import type { SourceInput } from "../outline/outline.ts";
import { candidateKinds } from "./candidate-kinds.ts";
import { CARD_KINDS } from "./card-kinds.ts";
import { finishLines, leadingLines } from "./card-lines.ts";
import type { Card } from "./card.ts";
import { createStructuredText } from "./structured-text.ts";
import { plainWords } from "./markdown-sections.ts";

interface BuildCardOptions {
  signal?: AbortSignal | undefined;
}

/**
 * Builds the index card of a file: up to 10 lines of up to 100 UTF-16 units. If the content does
 * not suit a kind, the next best kind is tried, and `plain` last. Secrets are masked before a line
 * is cut. The same input gives the same card.
 */
export async function buildCard(
  input: SourceInput,
  { signal }: BuildCardOptions = {},
): Promise<Card> {
  const text = input.text.replaceAll("\r\n", "\n");
  const source = await createStructuredText({ ...input, text }, signal);
  for (const kind of candidateKinds(input)) {
    throwIfAborted(signal, AliasesError);
    const lines = finishLines((await CARD_KINDS[kind].card(source)) ?? []);
    if (lines.length > 0) return { kind, lines, text: lines.join("\n") };
  }
  const lines = finishLines(plainCard(source.masked));
  return { kind: "plain", lines, text: lines.join("\n") };
}

/** Summarizes any text by its size and its first line that has a letter or digit. */
function plainCard(text: string): string[] {
  const lineCount = text.replace(/\n$/, "").split("\n").length - (text === "" ? 1 : 0);
  const size = `Size: ${lineCount} lines, ${Buffer.byteLength(text)} bytes`;
  const start = leadingLines(text.slice(0, 20_000)).find((line) => /[\p{L}\p{N}]/u.test(line));
  return start === undefined ? [size] : [size, `Start: ${plainWords(start)}`];
}
