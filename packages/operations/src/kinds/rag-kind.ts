import { estimatedCounter, truncateMiddle } from "@ccl/core";
import { z } from "zod";

import { maxValueChars } from "../artifact/is-larger-than.ts";
import { boundedJson } from "./bounded-json.ts";
import { type CallParams, type Kind, callShape, createKind } from "./kind.ts";
import type { RetrievedPassage } from "./kind-options.ts";
import { OperationError } from "./operation-error.ts";

/** Parameters of the kind `rag`. The artifact's value is the list of passages. `emit` receives their text. */
export interface RagParams extends CallParams {
  /** A Liquid template. */
  query: string;
  /** Defaults to 5. */
  topK?: number | undefined;
  /** Drops passages with a lower score, or without one. */
  minScore?: number | undefined;
  /**
   * Token limit of the text. It contains as many whole passages as fit, in order. If even the first one is too long, it
   * is truncated, with a marker.
   */
  maxTokens?: number | undefined;
  /** Liquid over `value`, the list of passages. Defaults to a numbered list. */
  template?: string | undefined;
}

const count = z.int().min(1);

const params: z.ZodType<RagParams> = z.strictObject({
  query: z.string().min(1),
  topK: z.exactOptional(count.max(1_000)),
  minScore: z.exactOptional(z.number()),
  maxTokens: z.exactOptional(count),
  template: z.exactOptional(z.string()),
  ...callShape,
});

/** Stores the passages that a retriever finds. */
export const ragKind: Kind = createKind(
  params,
  ({ retriever, counter = estimatedCounter }) =>
    async ({ params: { topK = 5, minScore, maxTokens, template, ...given }, ...run }) => {
      if (retriever === undefined)
        throw new OperationError("validation_error", "There is no retriever; pass one in.");
      const query = run.render(given.query);
      Object.assign(run.debug.inputsSummary, { queryChars: query.length, topK });
      const found = await run.attempt(async (signal) =>
        retriever.retrieve(query, { topK, signal }),
      );
      const passages = found
        .map(passageOf)
        .filter(({ score = -Infinity }) => minScore === undefined || score >= minScore)
        .slice(0, topK);
      const { value } = boundedJson(passages, maxValueChars);
      const entries = passages.map(entryOf);
      const texts =
        template === undefined
          ? entries.map((_, left) => withoutLast(entries, left))
          : [run.render(template, { value })];
      const fits = (text: string): boolean =>
        maxTokens === undefined || counter.count(text) <= maxTokens;
      const limit = { maxTokens: maxTokens ?? 0, counter };
      const text = texts.find(fits) ?? truncateMiddle(texts.at(-1) ?? "", limit).text;
      Object.assign(run.debug.outputsSummary, {
        passages: passages.length,
        textChars: text.length,
      });
      return { value, text };
    },
);

/** Copies the known fields of a passage. Throws `output_parse_error` if it has no text. */
function passageOf({ text, id, title, source, score }: RetrievedPassage): RetrievedPassage {
  if (typeof text !== "string")
    throw new OperationError(
      "output_parse_error",
      "The retriever returned a passage without text.",
    );
  return { text, id, title, source, score: Number.isFinite(score) ? score : undefined };
}

function entryOf({ title, source, text }: RetrievedPassage, index: number): string {
  const head = [title, source].filter((part) => part !== undefined && part !== "").join(" - ");
  return `[${index + 1}]${head === "" ? "" : ` ${head}`}\n${text}`;
}

function withoutLast(entries: readonly string[], left: number): string {
  const omission = left === 0 ? [] : [`[passages left out: ${left}]`];
  return [...entries.slice(0, entries.length - left), ...omission].join("\n\n");
}
