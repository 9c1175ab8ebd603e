import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import { CanonicalJsonError } from "./canonical-json-error.ts";

function doubleOf(bits: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${bits}`));
  return view.getFloat64(0);
}

function refusal(value: unknown): unknown {
  try {
    return canonicalJson(value);
  } catch (error) {
    return CanonicalJsonError.isInstance(error)
      ? { code: error.code, details: error.details }
      : error;
  }
}

function nestedArrays(depth: number): unknown {
  let value: unknown = [];
  for (let level = 1; level < depth; level += 1) value = [value];
  return value;
}

describe("the numbers of RFC 8785, appendix B", () => {
  it.each([
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["ffefffffffffffff", "-1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["c340000000000000", "-9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["44b52d02c7e14af7", "1.0000000000000001e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef4f", "999999999999999900000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["41b3de4355555554", "333333333.33333325"],
    ["41b3de4355555555", "333333333.3333333"],
    ["41b3de4355555556", "333333333.3333334"],
    ["41b3de4355555557", "333333333.33333343"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"],
  ])("%s is written as %s", (bits, text) => {
    expect(canonicalJson(doubleOf(bits))).toBe(text);
  });

  it.each(["7fffffffffffffff", "7ff0000000000000", "fff0000000000000"])(
    "%s is rejected",
    (bits) => {
      expect(refusal([doubleOf(bits)])).toEqual({
        code: "non_finite_number",
        details: { path: [0] },
      });
    },
  );
});

describe("canonicalJson", () => {
  it("writes the example of RFC 8785, section 3.2.2", () => {
    const value = {
      numbers: [Number("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it("orders names by UTF-16 code units, as in section 3.2.3", () => {
    const value = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis",
    };
    expect(
      Object.values<unknown>(
        JSON.parse(`[${canonicalJson(value).slice(1, -1).replaceAll('":"', '","')}]`),
      ).filter((_, index) => index % 2 === 1),
    ).toEqual([
      "Carriage Return",
      "One",
      "Control",
      "Latin Small Letter O With Diaeresis",
      "Euro Sign",
      "Emoji: Grinning Face",
      "Hebrew Letter Dalet With Dagesh",
    ]);
  });

  const own: Record<string, unknown> = {};
  own["a"] = [own];
  it.each<[string, unknown, string, (string | number)[]]>([
    ["a function", { a: () => 1 }, "unsupported_type", ["a"]],
    ["a symbol", { a: Symbol("x") }, "unsupported_type", ["a"]],
    ["a bigint", [1, 2n], "unsupported_type", [1]],
    ["undefined in an array", [1, [undefined]], "unsupported_type", [1, 0]],
    ["a hole in an array", Array.from({ length: 1 }), "unsupported_type", [0]],
    ["undefined at the root", undefined, "unsupported_type", []],
    ["a map", { a: new Map([[1, 2]]) }, "unsupported_type", ["a"]],
    ["bytes", [new Uint8Array(2)], "unsupported_type", [0]],
    ["an instance of a class", { a: new (class Point {})() }, "unsupported_type", ["a"]],
    ["a lone high surrogate", { a: "x\ud800y" }, "lone_surrogate", ["a"]],
    ["a lone low surrogate in a name", { b: { "\udc00": 1 } }, "lone_surrogate", ["b", "\udc00"]],
    ["a cycle", own, "cycle", ["a", 0]],
  ])("rejects %s and names its path", (_name, value, code, path) => {
    expect(refusal(value)).toEqual({ code, details: { path } });
  });

  it("leaves out undefined members and calls toJSON", () => {
    expect(canonicalJson({ b: undefined, a: new Date(0) })).toBe(
      '{"a":"1970-01-01T00:00:00.000Z"}',
    );
  });

  it("accepts one object at two places, null prototypes and a member named __proto__", () => {
    const shared = Object.assign(Object.create(null), { z: 1 });
    expect(canonicalJson([shared, shared, JSON.parse('{"__proto__":1,"a":2}')])).toBe(
      '[{"z":1},{"z":1},{"__proto__":1,"a":2}]',
    );
  });

  it("writes 100,000 nested arrays, and rejects endless nesting with a typed error", () => {
    expect(canonicalJson(nestedArrays(100_000))).toBe("[".repeat(100_000) + "]".repeat(100_000));
    expect(() => canonicalJson(nestedArrays(200_001))).toThrow(/nested deeper/);
  });
});

describe("for every JSON value", () => {
  const json = fc.jsonValue({ stringUnit: "grapheme" });

  it("parsing returns an equal value, and a second pass the same text", () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it("member order does not matter", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), json), (value) => {
        expect(canonicalJson(Object.fromEntries(Object.entries(value).reverse()))).toBe(
          canonicalJson(value),
        );
      }),
    );
  });
});

it("rejects values that are nested too deeply for any reader", () => {
  let value: unknown = 1;
  for (let depth = 0; depth <= 200_001; depth += 1) value = [value];
  expect(() => canonicalJson(value)).toThrow(expect.objectContaining({ code: "too_deep" }));
});
