import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PlainReader, type PlainStatus } from "./plain-reader.ts";

const LIMITS = { maxDepth: 512, maxRepairs: 100_000 };
const containers = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));

function read(text: string): { status: PlainStatus; reader: PlainReader } {
  const reader = new PlainReader(0, LIMITS);
  return { status: reader.read(text, true), reader };
}

describe("PlainReader", () => {
  it("reads valid JSON as JSON.parse does, whatever follows", () => {
    fc.assert(
      fc.property(containers, fc.string(), fc.constantFrom(0, 2), (value, rest, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const { status, reader } = read(text + rest);
        expect([status, reader.position, reader.repairs]).toEqual(["complete", text.length, []]);
        expect(reader.value).toEqual(JSON.parse(text));
      }),
    );
  });

  it("knows every proper prefix of valid JSON for one", () => {
    fc.assert(
      fc.property(containers, fc.nat(), (value, cut) => {
        const text = JSON.stringify(value);
        expect(read(text.slice(0, 1 + (cut % (text.length - 1)))).status).toBe("more");
      }),
    );
  });

  it("takes as many steps as there are tokens", () => {
    const stepsOf = (rows: number): number => {
      const { status, reader } = read(`[${"{'a': True, b: 'c'},\n".repeat(rows)}]`);
      expect(status).toBe("complete");
      return reader.steps;
    };
    expect(stepsOf(4000) - stepsOf(2000)).toBe(stepsOf(3000) - stepsOf(1000));
    expect(stepsOf(2000)).toBeLessThan(2000 * 12);
  });

  it.each([
    '{"a": "x" y"}',
    "[1 2]",
    '{"a": b}',
    '{"a" 1}',
    '{"a": "b, "c": 1}',
    "{a b: 1}",
    "[1}",
  ])("does not guess at %j", (text) => expect(read(text).status).toBe("stuck"));
});
