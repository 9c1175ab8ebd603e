import type { PromptPart } from "../src/views.ts";
import { count, visible } from "./format.ts";

/** Labels of the origins. */
export const originNames: Record<PromptPart["origin"], string> = {
  tools: "Tool definitions",
  system: "System prompt",
  user: "User",
  assistant: "Answers",
  reasoning: "Reasoning",
  call: "Tool calls",
  result: "Tool results",
  media: "Images and files",
};

/** A short label of a part. */
export function labelOf({ origin, tool, tokens }: PromptPart): string {
  return `${originNames[origin]}${tool === undefined ? "" : `: ${visible(tool)}`}, ${count(tokens)} tokens`;
}

/** Tool arguments that describe a call, in order of preference. */
const telling =
  /"(?:command|cmd|file_path|filePath|path|file|pattern|query|url)"\s*:\s*"((?:[^"\\]|\\.)*)/;

/**
 * Names each part: a call and its result by the command or file of the call, others by their first
 * words.
 */
export function namesOf(parts: readonly PromptPart[]): string[] {
  const calls = new Map(parts.map((part) => [part.origin === "call" ? part.callId : "", part]));
  return parts.map((part) => {
    const { origin, callId = "", preview = "", tool } = part;
    const call = origin === "result" && callId !== "" ? calls.get(callId) : part;
    const isCall = call?.origin === "call";
    const [, argument = ""] = (isCall && telling.exec(call.preview ?? "")) || [];
    const words = (argument === "" ? preview : argument).replaceAll(/\\[nt]|\s+/g, " ").trim();
    return visible(words.slice(0, 80)) || tool || originNames[origin];
  });
}
