import type { Decision } from "./read-decision.ts";
import { describeFacts } from "./describe-items.ts";
import { describeList } from "./describe-list.ts";

/** Describes how the decision in a record changed. */
export function describeDecision(before: Decision, after: Decision): string[] {
  const named = (items: string[]): { key: string }[] => items.map((key) => ({ key }));
  return [
    ...describeFacts(partsOf(before), partsOf(after)),
    ...describeList("rejection", named(before.rejected), named(after.rejected)),
    ...describeList("constraint", named(before.constraints), named(after.constraints)),
    ...describeList("negative case", named(before.negative), named(after.negative)),
  ];
}

function partsOf({ status, goal, choice }: Decision): [name: string, value: string][] {
  return Object.entries({ status, goal, choice }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
}
