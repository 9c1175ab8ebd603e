import type { PromptPart } from "../src/views.ts";
import { count, visible } from "./format.ts";

/** Names of origins. */
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

/** A part in a few words. */
export function labelOf({ origin, tool, tokens }: PromptPart): string {
  return `${originNames[origin]}${tool === undefined ? "" : `: ${visible(tool)}`}, ${count(tokens)} tokens`;
}

/** Arguments of tools that say what a call is about, the most telling first. */
const telling =
  /"(?:command|cmd|file_path|filePath|path|file|pattern|query|url)"\s*:\s*"((?:[^"\\]|\\.)*)/;

/** What each part is about: the command or the file of a call, also for its result, or its first words. */
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
