import { describe, expect, it } from "vitest";

import { splitCommand } from "./split-command.ts";

describe("a command of --check", () => {
  it.each([
    ["npm test", ["npm", "test"]],
    ["  node   --test  ", ["node", "--test"]],
    [`"my program" 'a "b"' c\\ d "e\\"f" ''`, ["my program", 'a "b"', "c d", 'e"f', ""]],
    ["echo $HOME && rm *", ["echo", "$HOME", "&&", "rm", "*"]],
    ["a'b'\"c\"", ["abc"]],
    ["'\\n'", ["\\n"]],
  ])("%j is %j, without a shell", (line, words) => {
    expect(splitCommand(line)).toEqual(words);
  });

  it.each(["", " ", "''", '"open', "it's"])("%j is none", (line) => {
    expect(() => splitCommand(line)).toThrow(/--check/);
  });
});
