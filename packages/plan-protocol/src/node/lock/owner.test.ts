import { describe, expect, it } from "vitest";

import { createOwner, type ProcessFacts } from "./owner.ts";

const FACTS: ProcessFacts = {
  machine: "one",
  boot: "boot-1",
  space: "pid:[1]",
  pid: 41,
  startOf: (pid) => (pid === 41 ? "1000" : undefined),
  exists: (pid) => pid === 41,
};
const { token } = createOwner(FACTS);

describe("the owner of a lock", () => {
  it.each<[string, Partial<ProcessFacts>, string]>([
    ["at work", {}, "alive"],
    ["ended", { exists: () => false }, "dead"],
    ["ended, and another process has its number", { startOf: () => "2000" }, "dead"],
    ["ended, and its parent has not looked yet", { startOf: () => "ended" }, "dead"],
    ["where nobody tells when processes began", { startOf: () => undefined }, "alive"],
    ["of an earlier boot, its number in use again", { boot: "boot-2" }, "dead"],
    ["on another machine", { machine: "two", exists: () => false }, "unknown"],
    ["in another container", { space: "pid:[2]", exists: () => false }, "unknown"],
  ])("is told apart: %s", (_name, change, state) => {
    expect(createOwner({ ...FACTS, pid: 7, ...change }).stateOf(token)).toBe(state);
  });

  it("is this process by default, and another one each time", () => {
    const [first, second] = [createOwner(), createOwner()];
    expect(first.token).not.toBe(second.token);
    expect(second.stateOf(first.token)).toBe("alive");
  });

  it.each(["", "x", "a-b-c-d-e-f"])("is unknown for what is no token: %s", (text) => {
    expect(createOwner(FACTS).stateOf(text)).toBe("unknown");
  });
});
