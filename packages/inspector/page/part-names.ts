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
