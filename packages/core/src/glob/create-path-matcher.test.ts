import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";

import { propertyRuns } from "../../../../scripts/lengths/test-length.mjs";
import { createPathMatcher, type PathMatcherOptions } from "./create-path-matcher.ts";

describe("createPathMatcher", () => {
  it.each<[string, string, boolean]>([
    ["*.ts", "a.ts", true],
    ["*.ts", "src/a.ts", false],
    ["**/*.ts", "src/deep/a.ts", true],
    ["*.ts", "a.tsx", false],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/deep/a.ts", false],
    ["src/**/*.ts", "src/a.ts", true],
    ["src/**", "src/deep/a.ts", true],
    ["**/test/**", "a/test/b/c", true],
    ["[a-c]?.{js,ts}", "bx.ts", true],
    ["[!a-c]?.ts", "bx.ts", false],
    ["[", "[", true],
    ["\u00e9*", "\u00e9t\u00e9", true],
  ])("%s and %s: %s", (pattern, path, expected) => {
    expect(createPathMatcher(pattern, { hasBraces: true })?.(path)).toBe(expected);
  });

  it.each<[string, PathMatcherOptions, string, boolean]>([
    ["{a,b}", {}, "a", false],
    ["{a,b}", {}, "{a,b}", true],
    ["a\\*", { hasEscapes: true }, "a*", true],
    ["a\\*", { hasEscapes: true }, "ab", false],
    ["**/*", { skipsDotNames: true }, ".git/config", false],
    ["**/*", {}, ".git/config", true],
    [".*", { skipsDotNames: true }, ".env", true],
  ])("%s with %j and %s: %s", (pattern, options, path, expected) => {
    expect(createPathMatcher(pattern, options)?.(path)).toBe(expected);
  });

  it.each([[false], [true]])(
    "agrees with picomatch on plain patterns, dot names skipped: %s",
    (skipsDotNames) => {
      const part = fc.constantFrom(
        "a",
        "b",
        "*",
        "?",
        "a*b",
        "**",
        "*a*",
        "[ab]",
        "{a,b*}",
        ".*",
        "?a",
      );
      const name = fc.constantFrom("a", "b", "ab", "aab", "ba", ".a", ".ab");
      fc.assert(
        fc.property(
          fc.array(part, { minLength: 1, maxLength: 4 }),
          fc.array(name, { minLength: 1, maxLength: 4 }),
          (parts, names) => {
            // The library lets "a/**" match "a" itself, which is not below that folder.
            fc.pre(parts.at(-1) !== "**");
            const [pattern, path] = [parts.join("/"), names.join("/")];
            const expected = picomatch(pattern, { dot: !skipsDotNames, strictSlashes: true })(path);
            const fits = createPathMatcher(pattern, { hasBraces: true, skipsDotNames });
            expect(fits?.(path)).toBe(expected);
          },
        ),
        { numRuns: 10 * propertyRuns },
      );
    },
  );

  it("takes time proportional to path times pattern, whatever the number of stars", () => {
    const matcher = createPathMatcher(`${"*a".repeat(200)}b`);
    expect(matcher?.("a".repeat(4_000))).toBe(false);
    expect(createPathMatcher(`${"**/".repeat(100)}x`)?.(`${"a/".repeat(2_000)}b`)).toBe(false);
  });

  it("rejects unrealistically large patterns", () => {
    expect(createPathMatcher("a".repeat(10_001))).toBeUndefined();
    expect(createPathMatcher("{a,b}".repeat(7), { hasBraces: true })).toBeUndefined();
  });
});
