import { expect, it } from "vitest";

import { requireOwnScope } from "./require-own-scope.mjs";

/** A fake npm. It answers by the command's first word, and fails without an answer. */
const npm = (answers) => (command) => {
  const answer = answers[command[1]];
  if (answer === undefined) throw new Error("E401");
  return answer;
};

it.each([
  ["nobody is logged in", {}, "npm login"],
  ["the organization is closed to the user", { whoami: "ann\n" }, "does not list"],
  [
    "the organization is somebody else's",
    { whoami: "ann\n", org: '{"bob":"owner"}' },
    "ann is not",
  ],
])("refuses if %s", (_, answers, reason) => {
  expect(() => requireOwnScope("ccl", npm(answers))).toThrow(reason);
});

it.each([
  ["the user", { whoami: "ccl\n" }],
  ["a member", { whoami: "ann\n", org: '{"ann":"developer"}' }],
])("accepts %s", (_, answers) => {
  expect(() => requireOwnScope("ccl", npm(answers))).not.toThrow();
});
