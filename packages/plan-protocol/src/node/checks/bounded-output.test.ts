import { describe, expect, it } from "vitest";

import { createBoundedOutput } from "./bounded-output.ts";

const keptBytes = 512 * 1024;
const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;

function outputOf(text: string): { text: string; isWhole: boolean } {
  const output = createBoundedOutput();
  for (let at = 0; at < text.length; at += 65_536)
    output.add(Buffer.from(text.slice(at, at + 65_536)));
  return output.end();
}

/** Returns output with the secret at this place. */
function withSecretAt(at: number, length: number): string {
  return `${" ".repeat(at)}${secret}${" ".repeat(length)}`.slice(0, length);
}

describe("createBoundedOutput", () => {
  it("keeps short output, with secrets masked", () => {
    expect(outputOf("one\ntwo")).toEqual({ text: "one\ntwo", isWhole: true });
    expect(outputOf("")).toEqual({ text: "", isWhole: true });
    expect(outputOf(`token ${secret}.`).text).not.toContain("a1B2");
  });

  it("keeps both ends of long output", () => {
    const { text, isWhole } = outputOf(`first${" ".repeat(3_000_000)}last`);
    expect(isWhole).toBe(false);
    expect(text).toMatch(/^first .* \n .* last$/s);
    expect(text.length).toBeLessThanOrEqual(2 * keptBytes);
  });

  it.each([1, 10, 20, 39])("hides a secret with %i characters before the gap", (before) => {
    const head = withSecretAt(keptBytes - before, 3_000_000);
    const tail = withSecretAt(3_000_000 - keptBytes - before, 3_000_000);
    for (const text of [head, tail]) expect(outputOf(text).text.trim()).toBe("");
  });
});
