import { estimatedCounter, type TokenCounter } from "@ccl/core";
import { z } from "zod";

import { defaultRenderer } from "../liquid/default-renderer.ts";
import type { TemplateRenderer } from "../liquid/template-renderer.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import { callShape, type CallParams } from "./call-params.ts";
import { boundedJson, boundedTokens } from "./bounded-json.ts";
import { maxValueChars } from "../artifact/max-value-chars.ts";
import { OperationError } from "./operation-error.ts";
import { readParams, requireAllowed } from "./read-params.ts";
import { resultEffects, resultEffectTypes } from "./result-params.ts";
import { runAttempts } from "./run-attempts.ts";
import { createHandler, rendered } from "./run-handler.ts";
import { templateScopeOf } from "./template-scope-of.ts";

/** One thing that a retriever found. */
export interface RetrievedPassage {
  text: string;
  id?: string | undefined;
  title?: string | undefined;
  /** Where it comes from, like a path or an address. */
  source?: string | undefined;
  /** Higher is better. */
  score?: number | undefined;
}

/** Finds passages for a query, best first. */
export interface Retriever {
  retrieve(
    query: string,
    options: { topK: number; signal: AbortSignal },
  ): Promise<readonly RetrievedPassage[]>;
}

/** Parameters of the kind `rag`. The artifact's value is the list of passages; `emit` gets their text. */
export interface RagParams extends CallParams {
  /** Liquid. */
  query: string;
  /** Default 5. */
  topK?: number | undefined;
  /** Passages below it are left out, and those without a score. */
  minScore?: number | undefined;
  /** Of the text: as many passages as fit whole, in their order; the first one is cut with a mark. */
  maxTokens?: number | undefined;
  /** Liquid over `value`, the list of passages; default a numbered list. */
  template?: string | undefined;
}

const count = z.int().min(1);

/** Checks the parameters of the kind `rag`. */
export const ragParamsSchema: z.ZodType<RagParams> = z.strictObject({
  query: z.string().min(1),
  topK: z.exactOptional(count.max(1_000)),
  minScore: z.exactOptional(z.number()),
  maxTokens: z.exactOptional(count),
  template: z.exactOptional(z.string()),
  ...callShape,
});

/** What the kind `rag` needs from the application. */
export interface RagOperationOptions {
  retriever: Retriever;
  counter?: TokenCounter | undefined;
  liquid?: TemplateRenderer | undefined;
}

const defaultTopK = 5;

/** The handler of the kind `rag`. */
export function createRagOperation(options: RagOperationOptions): OperationHandler {
  const { retriever, counter = estimatedCounter } = options;
  return createHandler(async ({ context, debug }) => {
    const params = readParams(ragParamsSchema, context);
    requireAllowed(resultEffectTypes(params), context);
    const {
      topK = defaultTopK,
      minScore,
      maxTokens,
      template,
      strictVariables = false,
      timeoutMs,
      retry,
    } = params;
    const renderer = options.liquid ?? defaultRenderer();
    const scope = templateScopeOf(context);
    const query = rendered(renderer.render(params.query, scope, { strictVariables }));
    Object.assign(debug.inputsSummary, { queryChars: query.length, topK });
    const found = await runAttempts(
      context,
      async (signal) => retriever.retrieve(query, { topK, signal }),
      { timeoutMs, retry, otherwise: "provider_error" },
    );
    const passages = found
      .map(passageOf)
      .filter(({ score }) => minScore === undefined || (score ?? -Infinity) >= minScore);
    const { value } = boundedJson(passages.slice(0, topK), maxValueChars);
    const text =
      template === undefined
        ? listOf(passages.slice(0, topK), { maxTokens, counter })
        : boundedTokens(
            rendered(renderer.render(template, { ...scope, value }, { strictVariables })),
            maxTokens,
            counter,
          );
    Object.assign(debug.outputsSummary, {
      passages: Math.min(passages.length, topK),
      textChars: text.length,
    });
    return { effects: resultEffects(params, { value, text }) };
  });
}

/** The known fields of a passage. Throws `output_parse_error` where it has no text. */
function passageOf(passage: RetrievedPassage): RetrievedPassage {
  const { text, id, title, source, score } = passage;
  if (typeof text !== "string")
    throw new OperationError("output_parse_error", "The retriever gave a passage without a text.");
  return {
    text,
    id,
    title,
    source,
    score: score === undefined || !Number.isFinite(score) ? undefined : score,
  };
}

function listOf(
  passages: readonly RetrievedPassage[],
  { maxTokens, counter }: { maxTokens: number | undefined; counter: TokenCounter },
): string {
  const entries = passages.map(({ title, source, text }, index) => {
    const head = [title, source].filter((part) => part !== undefined && part !== "").join(" - ");
    return `[${index + 1}]${head === "" ? "" : ` ${head}`}\n${text}`;
  });
  if (maxTokens === undefined) return entries.join("\n\n");
  for (let kept = entries.length; kept > 1; kept -= 1) {
    const left = entries.length - kept;
    const omitted = left === 0 ? [] : [omission(left)];
    const text = [...entries.slice(0, kept), ...omitted].join("\n\n");
    if (counter.count(text) <= maxTokens) return text;
  }
  const first =
    entries.length > 1
      ? `${entries[0] ?? ""}\n\n${omission(entries.length - 1)}`
      : (entries[0] ?? "");
  return boundedTokens(first, maxTokens, counter);
}

function omission(passages: number): string {
  return `[passages left out: ${passages}]`;
}
