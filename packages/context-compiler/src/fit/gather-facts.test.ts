import { expect, it } from "vitest";

import { exact, words } from "../../test-support/sample-session.ts";
import { gatherFacts } from "./gather-facts.ts";
import { createUnit, type HistoryUnit } from "./history-unit.ts";

const unitOf = (content: string, index: number): HistoryUnit =>
  createUnit({ message: { role: "user", content }, index, tokens: 0 });

it.each([
  "Don't touch the tests.",
  "Don’t touch the tests.",
  "You shouldn’t edit it.",
  "You mustn’t edit it.",
  "Let’s use tabs.",
  "We can't use npm.",
  "We can’t use npm.",
  "We cannot use npm.",
])("keeps a requirement rather than a newer message: %s", (requirement) => {
  const units = [unitOf(requirement, 0), unitOf(words(12), 1)];
  const options = { counter: exact, maxTokens: 32, seen: new Set<string>() };
  expect(gatherFacts(units, { from: 0, to: 2 }, options)).toEqual([`user: ${requirement}`]);
});
