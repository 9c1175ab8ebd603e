import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  arrayAt,
  deepFreeze,
  fromBase64,
  isSameJson,
  jsonText,
  isRecord,
  numberAt,
  parseDataUrl,
  parseJson,
  recordAt,
  stringAt,
  toBase64,
  withoutUndefined,
} from "./index.ts";

describe("isRecord", () => {
  it.each([
    [{}, true],
    [Object.create(null), true],
    [[], false],
    [null, false],
    ["{}", false],
    [undefined, false],
  ])("of %j is %j", (value, expected) => {
    expect(isRecord(value)).toBe(expected);
  });
});

describe("parseJson", () => {
  it("returns the value, or undefined for a text that is not JSON", () => {
    expect(parseJson('{"a":[1]}')).toEqual({ a: [1] });
    expect(parseJson("null")).toBeNull();
    expect(parseJson("{a:1}")).toBeUndefined();
  });
});

describe("members by type", () => {
  const value = { record: { a: 1 }, list: [1], text: "t", number: 2, nan: Number.NaN };
  it("are returned if the type is right", () => {
    expect([recordAt(value, "record"), arrayAt(value, "list")]).toEqual([{ a: 1 }, [1]]);
    expect([stringAt(value, "text"), numberAt(value, "number")]).toEqual(["t", 2]);
  });
  it("are empty or undefined if it is not", () => {
    expect([recordAt(value, "list"), arrayAt(value, "record")]).toEqual([{}, []]);
    expect([stringAt(value, "number"), numberAt(value, "nan")]).toEqual([undefined, undefined]);
    expect([recordAt(null, "a"), arrayAt("x", "a")]).toEqual([{}, []]);
  });
});

describe("withoutUndefined", () => {
  it("leaves out undefined members and keeps the rest", () => {
    expect(Object.keys(withoutUndefined({ a: undefined, b: null, c: 0 }))).toEqual(["b", "c"]);
  });
});

describe("base64", () => {
  it("equals Node's, and decodes to the same bytes, at any length", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
        expect(fromBase64(toBase64(bytes))).toEqual(bytes);
      }),
    );
    const large = Uint8Array.from({ length: 100_003 }, (_, index) => index % 251);
    expect(toBase64(large)).toBe(Buffer.from(large).toString("base64"));
    expect(fromBase64("no base64!")).toBeUndefined();
  });

  it("is found in data URLs only", () => {
    expect(parseDataUrl("data:image/png;base64,AQI=")).toEqual({
      mimeType: "image/png",
      data: Uint8Array.of(1, 2),
    });
    const url = "data:text/plain;charset=utf-8;base64,AQI=";
    expect(parseDataUrl(url)?.mimeType).toBe("text/plain");
    expect(parseDataUrl("data:;base64,AQI=")).toBeUndefined();
    expect(parseDataUrl("https://example.com/a.png")).toBeUndefined();
    expect(parseDataUrl("data:text/plain,hello")).toBeUndefined();
  });
});

describe("deeply nested JSON", () => {
  const nestings = {
    lists: (inner: unknown) => [inner],
    objects: (inner: unknown) => ({ inner }),
    "objects in lists": (inner: unknown) => [{ inner }, 1],
  };
  const nested = (nest: (inner: unknown) => unknown, leaf: unknown): unknown => {
    let value = leaf;
    for (let level = 0; level < 20_000; level++) value = nest(value);
    return value;
  };

  it.each(Object.entries(nestings))("is frozen to its leaf in %s", (_, nest) => {
    const leaf = { name: "leaf" };
    deepFreeze(nested(nest, leaf));
    expect(Object.isFrozen(leaf)).toBe(true);
  });

  it.each(Object.entries(nestings))("is compared to its leaf in %s", (_, nest) => {
    expect(isSameJson(nested(nest, "leaf"), nested(nest, "leaf"))).toBe(true);
    expect(isSameJson(nested(nest, "leaf"), nested(nest, "other"))).toBe(false);
  });

  it.each(Object.entries(nestings))("is written to its leaf in %s", (_, nest) => {
    const text = jsonText(nested(nest, "leaf"));
    expect(isSameJson(JSON.parse(text), nested(nest, "leaf"))).toBe(true);
  });
});

describe("jsonText", () => {
  it("equals JSON.stringify for any value that it can write", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonText(value)).toBe(JSON.stringify(value));
      }),
    );
    expect(jsonText(undefined)).toBe("");
  });

  it("throws for a value that contains itself", () => {
    const value: { self?: unknown } = {};
    value.self = value;
    expect(() => jsonText(value)).toThrow(TypeError);
  });
});

describe("deepFreeze", () => {
  it("does not freeze bytes, but the values beside them", () => {
    const value = deepFreeze({ bytes: new Uint8Array(2), list: [{}] });
    expect([value, value.list, value.list[0]].every(Object.isFrozen)).toBe(true);
    expect(Object.isFrozen(value.bytes)).toBe(false);
  });
});
