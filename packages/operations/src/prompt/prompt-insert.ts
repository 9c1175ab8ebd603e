import type { ChatMessage } from "@ccl/core";

import type { PromptAnchor } from "../effects/operation-effect.ts";
import type { PromptContributor } from "./assembled-prompt.ts";

/** A synthetic message and where it is meant to stand. */
export interface PromptInsert {
  contributor: PromptContributor;
  /** Of issues about it. */
  path: (string | number)[];
  message: ChatMessage;
  anchor: PromptAnchor;
  place: "before" | "after" | "replace";
  onAnchorTrimmed: "boundary" | "drop" | "fail";
}

/** A change of the system prompt. */
export interface SystemUpdate {
  contributor: PromptContributor;
  mode: "prepend" | "append" | "replace";
  content: string;
  separator: string;
}

/** All that is added to a base, in commit order. */
export interface PromptAdditions {
  updates: SystemUpdate[];
  inserts: PromptInsert[];
}
