import { readFile } from "node:fs/promises";

import { compress } from "@ccl/compress";
import { estimatedCounter } from "@ccl/core";
import { parseJson, recordAt, stringAt } from "@ccl/core/json";

import { artifactCommand, withState } from "../artifact-folder.ts";
import { readInput } from "../plan/read-input.ts";
import type { CommandResult, Session } from "../session.ts";

/** Flags of `ccl shrink`. */
interface ShrinkFlags {
  budget: number;
  state?: string | undefined;
  hook?: boolean | undefined;
}

/** Number of digits shown of an artifact's id. */
const shownDigits = 12;

/** Shortens a command's output for a model: keeps errors and what the question asks for. Stores the full output. */
export async function shrink(
  session: Session,
  question: string | undefined,
  flags: ShrinkFlags,
): Promise<CommandResult> {
  const text = await readInput(session, undefined, "output to shorten");
  if (flags.hook) return answerHook(session, text, flags);
  return shorten(session, { text, question, flags });
}

/**
 * Answers the hook that Claude Code calls after a command with a shorter result, or with nothing if the result is
 * unchanged.
 */
async function answerHook(
  session: Session,
  text: string,
  flags: ShrinkFlags,
): Promise<CommandResult> {
  const asked = parseJson(text);
  const response = recordAt(asked, "tool_response");
  const output = await wholeOutput(response);
  const unchanged = { document: {}, text: "" };
  if (response === undefined || estimatedCounter.count(output) <= flags.budget) return unchanged;
  const input = recordAt(asked, "tool_input");
  const question = `${stringAt(input, "description") ?? ""} ${stringAt(input, "command") ?? ""}`;
  const shown = await shorten(session, { text: output, question, flags });
  const stdout = shown.text.trimEnd();
  // With the file's path, Claude Code would show only the beginning of the answer.
  const { persistedOutputPath: _, persistedOutputSize: __, ...others } = response;
  const updatedToolOutput = { ...others, stdout };
  const answer = { hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput } };
  return { document: answer, text: `${JSON.stringify(answer)}\n` };
}

/** Reads the full output. If it is long, Claude Code only passes the beginning and a file to the hook. */
async function wholeOutput(response: unknown): Promise<string> {
  const path = stringAt(response, "persistedOutputPath");
  const begin = stringAt(response, "stdout") ?? "";
  return path === undefined ? begin : await readFile(path, "utf8").catch(() => begin);
}

async function shorten(
  session: Session,
  {
    text,
    question = "",
    flags: { budget, state },
  }: { text: string; question?: string | undefined; flags: ShrinkFlags },
): Promise<CommandResult & { text: string }> {
  const tokens = estimatedCounter.count(text);
  const { text: shown, isLossless, ...shape } = compress(text, { budget, query: question });
  if (isLossless || tokens <= budget) {
    const kept = isLossless ? shown : text;
    return {
      document: { text: kept, tokens, isLossless: true },
      text: kept.endsWith("\n") ? kept : `${kept}\n`,
    };
  }
  return withState(session, { state }, async ({ store, kind }) => {
    const { artifactId } = await store.store(text, {
      source: "ccl shrink",
      mimeType: "text/plain",
      summary: question.slice(0, 200),
      signal: session.signal,
    });
    const id = artifactId.slice(0, shownDigits);
    const { tokens: shownTokens, ranges } = shape;
    const search = artifactCommand(session.terminal, `search ${id} "words"`, state);
    const hint = `[${shownTokens} of ${tokens} tokens. The rest: ${search}, or read ${id} --lines 1-80]`;
    return {
      document: { text: shown, tokens, shownTokens, isLossless, artifactId, kept: kind, ranges },
      text: `${shown}\n${hint}\n`,
    };
  });
}
