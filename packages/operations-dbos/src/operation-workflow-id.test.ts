import fc from "fast-check";
import { expect, it } from "vitest";

import { operationWorkflowId } from "./operation-workflow-id.ts";

const hook = fc.constantFrom("before_main_llm", "after_main_llm");
const id = fc.array(
  fc.constantFrom("a", ":", "%", "3A", "before_main_llm", "after_main_llm", "é"),
  { maxLength: 6 },
);
const key = fc.record({
  runId: id.map((parts) => parts.join("")),
  hook,
  operationId: id.map((p) => p.join("")),
});

it("is the run's id, the hook and the operation's id with colons between", () => {
  const operation = { hook: "before_main_llm", operationId: "builtin:combat_rag 100% 剣" } as const;
  expect(operationWorkflowId("0199-a", operation)).toBe(
    "0199-a:before_main_llm:builtin:combat_rag 100% 剣",
  );
  expect(operationWorkflowId("a:b%", operation)).toBe(
    "a%3Ab%25:before_main_llm:builtin:combat_rag 100% 剣",
  );
});

it("is another one for each operation, hook and run, whatever their ids", () => {
  const property = fc.property(key, key, (left, right) => {
    const isSame = JSON.stringify(left) === JSON.stringify(right);
    expect(operationWorkflowId(left.runId, left) === operationWorkflowId(right.runId, right)).toBe(
      isSame,
    );
  });
  fc.assert(property);
});
