import { sha256Hex } from "@ccl/core";

import type { EditFormat } from "../place/file-change.ts";
import type { ContextBlock } from "../context/context-block.ts";
import type { PlanVersion } from "../plan/plan.ts";
import { quote } from "../plan-issue.ts";
import type { PlanMode } from "../validate/valid-plan.ts";

/** Parts of the user turn. Secrets are already masked. */
export interface UserPrompt {
  mode: PlanMode;
  version: PlanVersion;
  /** Default `json`. */
  format?: EditFormat | undefined;
  goal: string;
  /** Project knowledge shown from the start, such as a pack. */
  background?: string | undefined;
  report?: string | undefined;
  /** In request order. */
  blocks: readonly ContextBlock[];
  /** Labels of blocks that did not fit. */
  dropped: readonly string[];
  /** Summary of the plan to apply. */
  savedPlan?: string | undefined;
  /** Files that have changed since that plan. */
  changed: readonly string[];
  /** The model's text when it requested more context. */
  notes?: string | undefined;
  /** Remaining context rounds. */
  roundsLeft: number;
  /** Why the version was lowered. */
  descent?: readonly string[] | undefined;
}

const TITLES: Readonly<Record<ContextBlock["type"], string>> = {
  read_file: "FILE",
  search: "SEARCH",
  logs: "LOGS",
  env: "ENV",
};

/**
 * Renders the user turn. Text that rarely changes comes first, the task last. All external text is enclosed in fence
 * lines computed from its own hash, which it therefore cannot contain.
 */
export function renderUserPrompt(prompt: UserPrompt): string {
  const { version, background, report, savedPlan, notes, descent = [] } = prompt;
  const way =
    version === 1 ? "give the files whole with UPDATE_FILE" : "use PATCH_FILE instead of EDIT_FILE";
  const given = (title: string, text = ""): string => (text === "" ? "" : fenced(title, text));
  const sections = [
    given("BACKGROUND", background),
    renderContext(prompt),
    given("REPORT", report),
    given("YOUR NOTES FROM THE ANSWER BEFORE", notes),
    given("SAVED PLAN", savedPlan),
    list(
      "CHANGED SINCE THE SAVED PLAN; CONTEXT shows these as they are now, so plan anew:",
      prompt.changed.map(quote),
    ),
    list(
      `Your changes could not be placed in the files. This is schema version ${version} now: ${way}.`,
      descent,
    ),
    `GOAL\n${prompt.goal}`,
    renderMode(prompt),
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}

/** Returns "" for an empty list. */
function list(head: string, items: readonly string[]): string {
  return items.length === 0 ? "" : [head, ...items.map((item) => `- ${item}`)].join("\n");
}

function renderContext({ blocks, dropped, format = "json" }: UserPrompt): string {
  if (blocks.length === 0 && dropped.length === 0) return "CONTEXT\nNothing was read yet.";
  const left = list("Left out, because there was no room (ask for less at a time):", dropped);
  return ["CONTEXT", ...blocks.map((block) => renderBlock(block, format)), left]
    .filter((part) => part !== "")
    .join("\n");
}

function renderBlock(block: ContextBlock, format: EditFormat): string {
  // Only plans in this package's JSON repeat the hash.
  const hasHash = format === "json" && block.sha256 !== undefined;
  const hash = hasHash ? ` sha256=${block.sha256}` : "";
  return fenced(`${labelOf(block)}${hash}`, block.text);
}

/** Returns a block's prompt name. */
export function labelOf({ type, label }: ContextBlock): string {
  // A label stays on one line, whatever the path or query contains.
  const plain = quote(label).slice(1, -1);
  return type === "env" ? TITLES.env : `${TITLES[type]}[${plain}]`;
}

function fenced(title: string, text: string): string {
  const fence = sha256Hex(`${title}\n${text}`).slice(0, 12);
  return `<<< ${title} fence=${fence}\n${text}${text.endsWith("\n") || text === "" ? "" : "\n"}>>> ${fence}`;
}

function renderMode({ mode, version, format = "json", roundsLeft }: UserPrompt): string {
  const rounds =
    roundsLeft > 0
      ? `You may ask for context ${roundsLeft === 1 ? "once more" : `${roundsLeft} more times`}.`
      : "No further context can be asked for: context_requests must be empty.";
  const how =
    format === "json"
      ? `Answer with one JSON object of schema version ${version}.`
      : mode === "plan"
        ? "Answer with one JSON object."
        : "Answer with the changes, or with a JSON object that asks for context.";
  return `MODE: ${mode.toUpperCase()}\n${rounds} ${how}`;
}
