import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanStrict } from "./scan-strict.ts";

const containers = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));

describe("scanStrict", () => {
  it("finds the end of valid JSON, whatever follows", () => {
    fc.assert(
      fc.property(containers, fc.string(), fc.constantFrom(0, 2), (value, rest, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(scanStrict(text + rest, 0)).toMatchObject({ status: "complete", end: text.length });
      }),
    );
  });

  it("knows every proper prefix of valid JSON for one", () => {
    fc.assert(
      fc.property(containers, fc.nat(), (value, cut) => {
        const text = JSON.stringify(value);
        const prefix = text.slice(0, 1 + (cut % (text.length - 1)));
        expect(scanStrict(prefix, 0)).toEqual({ status: "prefix" });
      }),
    );
  });

  it.each([
    ["[1,]", 3],
    ["{a:1}", 1],
    ["['a']", 1],
    ['["\n"]', 1],
    ['["\\x"]', 1],
    ['["\\u12g4"]', 1],
    ["[01]", 2],
    ["[1}", 2],
    ['{"a",', 4],
    ["[tru]", 1],
  ])("says where %j leaves the grammar", (text, position) => {
    expect(scanStrict(text, 0)).toMatchObject({ status: "broken", position });
  });
});
