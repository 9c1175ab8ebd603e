import type { Decision } from "../card/read-decision.ts";
import { describeList } from "./describe-list.ts";

/** Describes how the decision in a record changed. */
export function describeDecision(before: Decision, after: Decision): string[] {
  const single = (["status", "goal", "choice"] as const).flatMap((part) => {
    const old = before[part];
    const fresh = after[part];
    if (old === fresh) return [];
    if (old === undefined) return [`${part} added: ${fresh}`];
    return [
      fresh === undefined ? `${part} removed: ${old}` : `${part} changed: ${old} -> ${fresh}`,
    ];
  });
  const named = (items: string[]): { key: string }[] => items.map((key) => ({ key }));
  return [
    ...single,
    ...describeList("rejection")(named(before.rejected), named(after.rejected)),
    ...describeList("constraint")(named(before.constraints), named(after.constraints)),
    ...describeList("negative case")(named(before.negative), named(after.negative)),
  ];
}
