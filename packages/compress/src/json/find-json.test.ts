import { describe, expect, it } from "vitest";

import { findJson, unwrapText } from "./find-json.ts";

const part = { type: "text", text: "one\ntwo" };
const json = JSON.stringify;

describe("unwrapText", () => {
  it.each([
    ["a JSON string", json("one\ntwo")],
    ["a string inside strings", json(json(json("one\ntwo")))],
    ["an MCP answer", json({ content: [part] })],
    ["an MCP answer with all fields", json({ _meta: {}, isError: false, content: [part] })],
    ["a part with annotations", json({ content: [{ ...part, annotations: {}, _meta: {} }] })],
    ["an MCP answer in a string", json(json({ content: [part] }))],
  ])("extracts the text of %s", (_name, text) => {
    expect(unwrapText(text)).toBe("one\ntwo");
  });

  it("puts a blank line between the texts of an answer", () => {
    expect(unwrapText(json({ content: [part, { type: "text", text: "three" }] }))).toBe(
      "one\ntwo\n\nthree",
    );
  });

  it.each([
    ["text", "one"],
    ["an unterminated string", '"one'],
    ["an answer with another member", json({ content: [part], total: 1 })],
    ["an answer with an image", json({ content: [part, { type: "image", data: "AQ==" }] })],
    ["a part with another member", json({ content: [{ ...part, score: 1 }] })],
    ["a part of another type", json({ content: [{ type: "note", text: "one" }] })],
    ["a part without a type", json({ content: [{ text: "one" }] })],
    ["a part whose text is a number", json({ content: [{ type: "text", text: 7 }] })],
    [
      "a part that is not an object",
      json({ content: [{ type: "text", text: "one" }, null, "two"] }),
    ],
    ["content that is not a list", json({ content: { list: [{ content: [part] }] } })],
    ["content within another object", json({ result: { content: [part] } })],
    ["a list of answers", `[${json({ content: [part] })}]`],
  ])("leaves %s unchanged", (_name, text) => {
    expect(unwrapText(text)).toBe(text);
  });

  it("unwraps no more than three layers", () => {
    expect(unwrapText(json(json(json(json("one")))))).toBe('"one"');
  });
});

describe("findJson", () => {
  const value = { a: [1, { b: "}" }] };

  it.each([
    ["alone", json(value), "", ""],
    ["indented", JSON.stringify(value, null, 2), "", ""],
    ["between words", `Found it:\n${json(value)}\nThat is all.`, "Found it:", "That is all."],
    ["after words on its line", `Found: ${json(value)}`, "Found:", ""],
    ["in a fence", `Found it:\n\`\`\`json\n${json(value)}\n\`\`\`\nDone.`, "Found it:", "Done."],
    [
      "after brackets",
      `As in [1], [2], [3], [4] and [5]:\n  ${json(value)}`,
      "As in [1], [2], [3], [4] and [5]:",
      "",
    ],
    ["before brackets", `${json(value)}\nSee [1]\nand {x}\n`, "", "See [1]\nand {x}"],
    ["after a long text", `${"x".repeat(298)}\n${json(value)}`, "x".repeat(298), ""],
    ["before a long text", `${json(value)}\n${"x".repeat(298)}`, "", "x".repeat(298)],
  ])("finds JSON %s", (_name, text, lead, tail) => {
    const found = findJson(text);
    expect(found?.value).toEqual(value);
    expect(found?.tail).toBe(tail);
    expect(found?.lead).toBe(lead);
  });

  it("reads from the first bracket, even if others begin lines", () => {
    const list = [1, 2, 3, 4, 5, 6].map((at) => ({ [`k${at}`]: at }));
    const found = findJson(`Found: ${JSON.stringify({ list }, null, 1)}`);
    expect(found).toMatchObject({ value: { list }, lead: "Found:" });
  });

  it("reads consecutive objects as a list", () => {
    for (const between of ["\n", "\r\n", "\n\n", " \n  "])
      expect(findJson(`{"a":1}${between}{"a":2}${between}{"a":3}\n`)?.value).toEqual([
        { a: 1 },
        { a: 2 },
        { a: 3 },
      ]);
  });

  it.each([
    ["words", "There is none."],
    ["a number", "7"],
    ["brackets that are not JSON", "call(a[0]) { return }"],
    ["JSON behind more than a little text", `${"x".repeat(400)}\n${json(value)}`],
    ["JSON before more than a little text", `${json(value)}\n${"x".repeat(400)}`],
    ["lists in lists, 5,001 deep", "[".repeat(5_001) + "]".repeat(5_001)],
    ["objects in objects, 5,001 deep", `${'{"a":'.repeat(5_001)}1${"}".repeat(5_001)}`],
  ])("finds none in %s", (_name, text) => {
    expect(findJson(text)).toBeUndefined();
  });

  it("counts only open brackets as depth", () => {
    const wide = `[${"[],{},".repeat(5_000)}[]]`;
    expect(findJson(wide)?.value).toHaveLength(10_001);
    expect(findJson("[".repeat(5_000) + "]".repeat(5_000))?.value).toHaveLength(1);
  });
});
