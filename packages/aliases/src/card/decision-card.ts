import { plainWords } from "./markdown-sections.ts";
import { packItems } from "./pack-items.ts";
import type { Decision } from "./read-decision.ts";

/**
 * Lists the goal, choice, rejections, constraints and negative cases of a decision record. Shows
 * the status unless it is "accepted".
 */
export function decisionCard(decision: Decision): string[] {
  const { status, goal, choice } = decision;
  const isAccepted =
    status === undefined ||
    /^(?:accepted|approved|decided|принято|утверждено)$/i.test(plainWords(status));
  return [
    ...(isAccepted ? [] : [`Status: ${plainWords(status)}`]),
    ...(goal === undefined ? [] : [`Goal: ${goal}`]),
    ...(choice === undefined ? [] : [`Choice: ${choice}`]),
    ...packItems("Rejected", decision.rejected, { maxLines: 3 }),
    ...packItems("Constraints", decision.constraints, { maxLines: 2 }),
    ...packItems("Negative", decision.negative, { maxLines: 2 }),
  ];
}
