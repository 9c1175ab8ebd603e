import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseStructured } from "../schema/parse-structured.ts";

const schema = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer" } },
  required: ["name", "age"],
};
const tree = {
  type: "object",
  properties: {
    id: { type: "integer" },
    label: { type: "string" },
    kids: { type: "array", items: { $ref: "#" } },
    parent: { $ref: "#" },
  },
  required: ["id", "label"],
};

const word = fc.string({ unit: fc.constantFrom(..."abcdefg "), minLength: 1, maxLength: 8 });
const person = fc.record({ name: word, age: fc.nat(99) });
const other = fc.constantFrom("spouse", "similar", "previous", "candidates", "owner", "data");
const holding = (inner: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    inner,
    inner.map((value) => [value]),
    inner.map((value) => ({ one: { two: value } })),
  );
const read = (text: string, by: object): unknown => {
  const parsed = parseStructured(text, { schema: { ...by } });
  return parsed.ok ? parsed.value : "refused";
};

describe("a value inside the answer", () => {
  it("is not taken for an outer one that needs its shape changed", () => {
    fc.assert(
      fc.property(person, holding(person), other, ({ name, age }, inner, key) => {
        const text = JSON.stringify({ name, age: String(age), [key]: inner });
        expect(read(text, schema)).toEqual({ name, age, [key]: inner });
      }),
      { numRuns: 800 },
    );
  });

  it("is not taken for an outer one that does not fit", () => {
    const misfit = fc.oneof(
      person.map(({ name, age }) => ({ name, age: `${age} years` })),
      fc.constant({ error: "not found" }),
      person.map((value) => ({ second: value })),
    );
    fc.assert(
      fc.property(misfit, holding(person), other, (outer, inner, key) => {
        expect(read(JSON.stringify({ ...outer, [key]: inner }), schema)).toBe("refused");
      }),
      { numRuns: 800 },
    );
  });

  it("is no answer to a schema that refers to itself", () => {
    const node = fc.record({ id: fc.nat(9), label: word });
    const outer = fc.oneof(
      node.map((leaf) => ({ kids: [leaf] })),
      node.map((leaf) => ({ parent: leaf })),
      node.map((leaf) => ({ id: 1, kids: [leaf] })),
    );
    fc.assert(
      fc.property(outer, (value) => {
        expect(read(JSON.stringify(value), tree)).toBe("refused");
      }),
      { numRuns: 800 },
    );
  });

  it("is taken out of what wraps it alone, which is listed", () => {
    const parsed = parseStructured('{"result": {"item": {"name": "A", "age": "3"}}}', { schema });
    expect(parsed).toMatchObject({
      value: { name: "A", age: 3 },
      repairs: [{ kind: "wrapper", path: ["result", "item"] }, { kind: "schema_type" }],
    });
  });
});

describe("a draft and an answer", () => {
  const pair = fc.tuple(person, person).filter(([one, two]) => one.age !== two.age);
  const layouts: Record<string, (draft: string, answer: string) => string> = {
    fences: (draft, answer) => `\`\`\`json\n${draft}\n\`\`\`\nOr:\n\`\`\`json\n${answer}\n\`\`\``,
    prose: (draft, answer) => `First I thought of ${draft}, but it is ${answer}.`,
    "bare lines": (draft, answer) => `${draft}\n\n${answer}`,
    "prose and a fence": (draft, answer) => `Not ${draft}:\n\`\`\`json\n${answer}\n\`\`\``,
    "a fence and prose": (draft, answer) => `\`\`\`json\n${draft}\n\`\`\`\nRather ${answer}.`,
  };

  it.each(Object.entries(layouts))("in %s are refused where they differ", (_name, layout) => {
    fc.assert(
      fc.property(pair, fc.boolean(), ([draft, answer], isAligned) => {
        const given = isAligned ? { ...answer, age: String(answer.age) } : answer;
        expect(read(layout(JSON.stringify(draft), JSON.stringify(given)), schema)).toBe("refused");
        expect(read(layout(JSON.stringify(answer), JSON.stringify(given)), schema)).toEqual(answer);
      }),
    );
  });

  it.each(Object.entries(layouts))(
    "in %s are refused where only the draft fits",
    (_name, layout) => {
      fc.assert(
        fc.property(person, ({ name, age }) => {
          const text = layout(JSON.stringify({ name, age }), JSON.stringify({ name, age: "soon" }));
          expect(read(text, schema)).toBe("refused");
        }),
      );
    },
  );

  it("are told apart by the word final, which is listed", () => {
    const text = '```\n{"name":"A","age":1}\n```\nFinal:\n```\n{"name":"B","age":2}\n```';
    expect(parseStructured(text, { schema })).toMatchObject({
      value: { name: "B", age: 2 },
      repairs: [{ kind: "draft" }],
    });
  });
});

describe("numbers where a text is asked for", () => {
  it.each(["1.10", "9007199254740993", "1e400", "-0", "12345678901234567890", "1.0", "3", "0.5"])(
    "keep the digits of %s",
    (digits) => {
      const text = { type: "object", properties: { v: { type: "string" } }, required: ["v"] };
      for (const answer of [`{"v": ${digits}}`, `{'v': ${digits},}`, `{"r": {"v": ${digits}}}`])
        expect(read(answer, text)).toEqual({ v: digits });
    },
  );

  it("too large for a number are none", () => {
    expect(read('{"name": "A", "age": 1e400}', schema)).toBe("refused");
  });
});

describe("a long list", () => {
  it("is aligned to its end", () => {
    const rows = Array.from({ length: 5000 }, (_, id) => ({ id: String(id), ok: "yes" }));
    const row = {
      type: "object",
      properties: { id: { type: "integer" }, ok: { type: "boolean" } },
    };
    const value = read(JSON.stringify(rows), { type: "array", items: row });
    expect(value).toHaveLength(5000);
    expect(value).toMatchObject({ 4999: { id: 4999, ok: true } });
  });
});
