import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { estimatedCounter, type TokenCounter } from "@ccl/core";
import type { ContextRecord } from "@ccl/core/tracing";

import { stateFolder } from "./artifact-folder.ts";
import { formatCount } from "./output/text.ts";
import type { Session } from "./session.ts";

/** How `--model-encoding` counts. */
type Encoding = "o200k_base" | "cl100k_base" | "estimate";

/** Selects the model whose tokens a budget counts. */
export interface CountedFor {
  modelEncoding: Encoding;
  /** Model name, with or without its provider: `anthropic/claude-sonnet-4-5`, or `claude` for all recorded models. */
  model?: string | undefined;
}

/**
 * Opens a counter. Loads the tables of an exact encoding. Only OpenAI's models have a public vocabulary. Tokens of
 * others are a multiple of the encoding's. The counter's name says which and why, and `ratio` where the multiple comes
 * from.
 */
export async function openCounter(
  { modelEncoding, model }: CountedFor,
  session: Session,
): Promise<TokenCounter & { ratio: "exact" | "learned" | "assumed" }> {
  const base = await openEncoding(modelEncoding);
  if (model === undefined || isOfOpenAi(model)) return { ...base, ratio: "exact" };
  const bareModel = model.replace(/^.*\//, "").toLowerCase();
  const steps = await recordedSteps(session, bareModel);
  const { reportedRatio } = await import("@ccl/context-compiler");
  const learned = reportedRatio(steps);
  const ratio = learned === undefined ? assumedRatio(bareModel) : Math.max(1, learned);
  // Claude splits indentation by tabs into single tokens, so languages differ by their tabs.
  const tab = bareModel.includes("claude") ? 1 : 0;
  const origin =
    learned === undefined
      ? "assumed, as no prompt of it was recorded"
      : `learned from ${formatCount(steps.length, "recorded prompt")}`;
  return {
    name: `${model}: ${ratio.toFixed(2)} x ${base.name}, ${origin}`,
    isExact: false,
    ratio: learned === undefined ? "assumed" : "learned",
    count: (text) => Math.ceil(ratio * (base.count(text) + tab * (text.split("\t").length - 1))),
  };
}

async function openEncoding(encoding: Encoding): Promise<TokenCounter> {
  if (encoding === "estimate") return estimatedCounter;
  const vocabulary = new URL(`../dist/vocabulary/${encoding}.bin`, import.meta.url);
  const [{ createBpeCounter }, bytes] = await Promise.all([
    import("@ccl/core/bpe"),
    readFile(vocabulary),
  ]);
  return createBpeCounter(encoding, { vocabulary: bytes });
}

/** True for OpenAI's models, which have a public vocabulary. */
export function isOfOpenAi(model: string): boolean {
  return /^(?:.*\/)?(?:gpt|chatgpt|codex|o\d)/i.test(model);
}

/**
 * Returns a model's assumed ratio. For Claude 3 to 4.6, fitted to 1.2 million tokens of 17 languages as counted by
 * npm's `ai-tokenizer`. For later ones, 30 % more, as in platform.claude.com/docs/en/build-with-claude/token-counting.
 */
function assumedRatio(model: string): number {
  if (/claude-(?:[23]\b|instant|\w+-4(?:$|[-.][0-6]\b|-\d{8}))/.test(model)) return 1.2;
  return model.includes("claude") ? 1.56 : 1;
}

const MAX_STEPS = 16;
const MIN_TOKENS = 500;

/** What a session added to its prompt. Excludes what a provider adds to every prompt. */
interface Step {
  timeMs: number;
  countedTokens: number;
  inputTokens: number;
}

/** Reads the newest steps of a model's sessions that the gateway or `recordTo` recorded on this machine. */
async function recordedSteps(session: Session, model: string): Promise<Step[]> {
  const steps = (await recordedPrompts(session)).flatMap((prompts) =>
    prompts.map(({ timeMs, parts, reported, model: own = "" }, at): Step => {
      const before = prompts[at - 1];
      const isNext = own.toLowerCase().includes(model) && before?.model === own;
      return {
        timeMs,
        countedTokens: isNext ? sentTokens(parts) - sentTokens(before.parts) : 0,
        inputTokens: (reported?.total ?? 0) - (before?.reported?.total ?? 0),
      };
    }),
  );
  return steps
    .filter(({ countedTokens, inputTokens }) => countedTokens >= MIN_TOKENS && inputTokens > 0)
    .sort((a, b) => b.timeMs - a.timeMs)
    .slice(0, MAX_STEPS);
}

/** Reads the prompts of each session with a provider's report, oldest first. */
export async function recordedPrompts({
  root,
  directory,
  terminal,
}: Session): Promise<ContextRecord[][]> {
  const { createContextLogReader } = await import("@ccl/inspector");
  const folders = [join(stateFolder(terminal), "requests"), join(root, directory, "records")];
  const logs = await Promise.all(folders.map((folder) => createContextLogReader(folder)()));
  return logs
    .flatMap((log) => [...log.values()])
    .map((prompts) => prompts.filter(({ model, reported }) => model && reported));
}

function sentTokens(parts: ContextRecord["parts"]): number {
  return parts.reduce((sum, { sent, tokens }) => sum + (sent?.tokens ?? tokens), 0);
}
