import type { PlanMode } from "../validate/valid-plan.ts";

/** Context other than the text. */
export interface DetectModeOptions {
  /** The plan waiting to be applied, or whether there is one. Only then do words like "ok" count. */
  savedPlan?: boolean | object | undefined;
}

/** A message's mode and goal. */
export interface DetectedMode {
  /** Undefined if the message does not indicate a mode. */
  mode: PlanMode | undefined;
  /** The message without its prefix. Empty for a bare trigger like "ok". */
  goal: string;
  reason: "prefix" | "trigger" | "verb" | "none";
}

const TRIGGERS: ReadonlySet<string> = new Set(["ok", "ок", "apply", "применяй", "да"]);

const PREFIX = /^\s*(plan|apply)\s*:\s*/i;

const PLAN_VERB = verbs("fix|repair|исправь(?:те)?|почини(?:те)?");
const APPLY_VERB = verbs("create|generate|создай(?:те)?|сгенерируй(?:те)?");

/**
 * Detects the mode that a message requests. A prefix wins (`plan:`, `apply:`), then a message that is only a trigger
 * while a plan is saved (`ok`, `применяй`), then a verb (fix, исправь: plan; create, создай: apply). Verbs of both
 * kinds mean plan.
 */
export function detectMode(
  text: string,
  { savedPlan = false }: DetectModeOptions = {},
): DetectedMode {
  const prefix = PREFIX.exec(text);
  if (prefix !== null) {
    const mode = prefix[1]?.toLowerCase() === "plan" ? "plan" : "apply";
    return { mode, goal: text.slice(prefix[0].length).trim(), reason: "prefix" };
  }
  const goal = text.trim();
  const plain = goal
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\s\p{P}]+$/u, "");
  if (savedPlan !== false && TRIGGERS.has(plain))
    return { mode: "apply", goal: "", reason: "trigger" };
  if (PLAN_VERB.test(goal)) return { mode: "plan", goal, reason: "verb" };
  if (APPLY_VERB.test(goal)) return { mode: "apply", goal, reason: "verb" };
  return { mode: undefined, goal, reason: "none" };
}

// Regex word boundaries only recognize ASCII letters.
function verbs(words: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${words})(?![\\p{L}\\p{N}_])`, "iu");
}
