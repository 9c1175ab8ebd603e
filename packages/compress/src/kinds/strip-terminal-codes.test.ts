import { describe, expect, it } from "vitest";

import { stripTerminalCodes } from "./strip-terminal-codes.ts";

describe("stripTerminalCodes", () => {
  it.each([
    ["colors", "\u001B[1;31mred\u001B[0m \u001B[mplain", "red plain"],
    ["colors with colons", "\u001B[38:2::255:0:0mred", "red"],
    ["private sequences", "\u001B[>4;1mX\u001B[?25h\u001B[2 q", "X"],
    ["a title that ends at BEL", "\u001B]0;t\u0007hello", "hello"],
    ["a title that ends at ST", "\u001B]0;t\u001B\\hello\u0007 bye", "hello\u0007 bye"],
    ["a link", `\u001B]8;;https://a/${"b".repeat(500)}\u001B\\link\u001B]8;;\u001B\\`, "link"],
    ["a character set", "\u001B(B\u001B[mX\u001B7", "X"],
    ["a device string", "\u001BP1$r0m\u001B\\X", "X"],
  ])("removes %s", (_name, text, plain) => {
    expect(stripTerminalCodes(text)).toBe(plain);
  });

  it("keeps the text after a title without an end", () => {
    expect(stripTerminalCodes("\u001B]0;t\nhello\u0007 bye")).toBe("0;t\nhello\u0007 bye");
    expect(stripTerminalCodes("[31m is no code")).toBe("[31m is no code");
  });

  it.each(["\u001B]", "\u001B[", "\u001B[1;", "\u001B ", "\u001BP\u001B[ "])(
    "is fast for a repeated %j",
    (code) => {
      const startedMs = performance.now();
      stripTerminalCodes(code.repeat(200_000));
      stripTerminalCodes(`${code}${"0 ".repeat(200_000)}`);
      stripTerminalCodes(`${code}${"0".repeat(400_000)}`);
      expect(performance.now() - startedMs).toBeLessThan(2000);
    },
  );
});
