import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { estimatedCounter, type TokenCounter } from "@ccl/core";
import type { ContextRecord } from "@ccl/core/tracing";

import { stateFolder } from "./artifact-folder.ts";
import { formatCount } from "./output/format-number.ts";
import type { Session } from "./session.ts";

/** How `--model-encoding` counts. */
export type Encoding = "o200k_base" | "cl100k_base" | "estimate";

/** Whose tokens a budget counts. */
export interface CountedFor {
  modelEncoding: Encoding;
  /** With or without its provider: `anthropic/claude-sonnet-4-5`, or `claude` for all recorded. */
  model?: string | undefined;
}

/**
 * Opens a counter. Loads the tables of an exact encoding. Only OpenAI's models have a public vocabulary.
 * Tokens of others are a multiple of the encoding's. The counter's name says which, and why.
 */
export async function openCounter(
  { modelEncoding, model }: CountedFor,
  session: Session,
): Promise<TokenCounter> {
  const base = await openEncoding(modelEncoding);
  if (model === undefined || isOfOpenAi(model)) return base;
  const { ratio, tab, origin } = await ratioOf(session, model);
  return {
    name: `${model}: ${ratio.toFixed(2)} x ${base.name}, ${origin}`,
    isExact: false,
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
  return await createBpeCounter(encoding, { vocabulary: bytes });
}

/** True for a model with a public vocabulary. */
export function isOfOpenAi(model: string): boolean {
  return /^(?:.*\/)?(?:gpt|chatgpt|codex|o\d)/i.test(model);
}

/** How many tokens of a model one counted token is, beside `tab` more for each tab. */
interface TokenRatio {
  ratio: number;
  tab: number;
  origin: string;
}

/** Steps of recorded sessions that the ratio is learned from, and the tokens that one must add. */
const MAX_STEPS = 16;
const MIN_TOKENS = 500;
/** More is a provider's own prompt, not its tokenizer. */
const MAX_RATIO = 2;

/**
 * Learns a model's ratio from the prompts that the gateway and `recordTo` recorded on this machine: tokens that the
 * provider reported for what a session added to its prompt. Without one, assumes a ratio.
 */
export async function ratioOf(session: Session, model: string): Promise<TokenRatio> {
  const name = model.replace(/^.*\//, "").toLowerCase();
  // Claude splits indentation by tabs into single tokens, so languages differ by their tabs.
  const tab = name.includes("claude") ? 1 : 0;
  const steps: { timeMs: number; counted: number; reported: number }[] = [];
  for (const prompts of await recordedPrompts(session))
    for (const [at, { timeMs, parts, reported, model: own = "" }] of prompts.entries()) {
      const before = prompts[at - 1];
      if (!own.toLowerCase().includes(name) || own !== before?.model) continue;
      const step = {
        timeMs,
        counted: sentTokens(parts) - sentTokens(before.parts),
        reported: (reported?.total ?? 0) - (before.reported?.total ?? 0),
      };
      if (step.counted >= MIN_TOKENS && step.reported > 0) steps.push(step);
    }
  const last = steps.sort((a, b) => b.timeMs - a.timeMs).slice(0, MAX_STEPS);
  const sum = (key: "counted" | "reported"): number => last.reduce((all, one) => all + one[key], 0);
  if (last.length === 0) return { ...assumedRatio(name), tab };
  const ratio = Math.min(MAX_RATIO, Math.max(1, sum("reported") / sum("counted")));
  return { ratio, tab, origin: `learned from ${formatCount(last.length, "recorded prompt")}` };
}

/**
 * Claude 3 to 4.6: fitted to 1.2 million tokens of 17 languages as counted by the tokenizer of npm's `ai-tokenizer`.
 * Later ones: 30 % more, by platform.claude.com/docs/en/build-with-claude/token-counting.
 */
function assumedRatio(name: string): Pick<TokenRatio, "ratio" | "origin"> {
  const isEarly = /claude-(?:[23]\b|instant|\w+-4(?:$|[-.][0-6]\b|-\d{8}))/.test(name);
  const ratio = isEarly ? 1.2 : name.includes("claude") ? 1.56 : 1;
  return { ratio, origin: "assumed, as no prompt of it was recorded" };
}

/** The prompts of each session with a provider's report, oldest first. */
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
