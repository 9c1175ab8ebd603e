import { describe, expect, it } from "vitest";

import { parseStructured } from "./parse-structured.ts";

// Each answer with its schema and the values that it may give; REFUSED where it may be refused.
const REFUSED = Symbol("refused");
const R = REFUSED;
const rows: [text: string, schema: Record<string, unknown>, wants: unknown[]][] = [];
const S = (schema: Record<string, unknown>, text: string, ...wants: unknown[]): void =>
  void rows.push([text, schema, wants]);
const T = "```";
const str = { type: "string" };
const int = { type: "integer" };
const num = { type: "number" };
const bool = { type: "boolean" };
const obj = (
  properties: Record<string, unknown>,
  required = Object.keys(properties),
  more = {},
): Record<string, unknown> => ({ type: "object", properties, required, ...more });
const list = (items: unknown): Record<string, unknown> => ({ type: "array", items });

const person = obj({ name: str, age: int });
S(person, `{"name":"A","age":"3"}`, { name: "A", age: 3 });
S(person, `{"name":"A","age":3.0}`, { name: "A", age: 3 });
S(person, `{"name":"A","age":3.5}`, R);
S(person, `{"name":"A","age":"three"}`, R);
S(person, `{"name":"A","age":"3 years"}`, R);
S(person, `{"name":"A","age":null}`, R);
S(person, `{"name":["A"],"age":[3]}`, { name: "A", age: 3 });
S(person, `{"person":{"name":"A","age":3}}`, { name: "A", age: 3 });
S(person, `{"person":{"name":"A","age":3},"ok":true}`, R);
S(person, `[{"name":"A","age":3}]`, { name: "A", age: 3 });
S(person, `[{"name":"A","age":3},{"name":"B","age":4}]`, R);
S(person, `{"name":"A","age":3}{"name":"B","age":4}`, R);
S(person, `{"Name":"A","AGE":3}`, { name: "A", age: 3 });
S(person, `{"name":"A","Name":"B","age":3}`, { name: "A", Name: "B", age: 3 }, R);
S(person, `{"full_name":"A","age":3}`, R);
S(person, `name: A\nage: 3`, R, { name: "A", age: 3 });
S(person, `{"properties":{"name":"A","age":3}}`, { name: "A", age: 3 });
S(
  person,
  `{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name","age"]}`,
  R,
);
S(person, `{"type":"object","properties":{"name":"A","age":3}}`, R, { name: "A", age: 3 });
S(
  person,
  `Schema: {"name":"string","age":"integer"}\nAnswer: {"name":"A","age":3}`,
  { name: "A", age: 3 },
  R,
);
S(person, `{"name":"string","age":0}\n\n{"name":"A","age":3}`, R);
S(person, `First I thought {"name":"A","age":2} but it is {"name":"A","age":3}`, R);
S(
  person,
  `${T}json\n{"name":"A","age":2}\n${T}\nThe final answer is:\n${T}json\n{"name":"A","age":3}\n${T}`,
  { name: "A", age: 3 },
);
S(person, `{"name":"A","age":3,"children":[{"name":"B","age":1}]}`, {
  name: "A",
  age: 3,
  children: [{ name: "B", age: 1 }],
});
S(
  person,
  `{"name":"A","age":"3","children":[{"name":"B","age":1}]}`,
  { name: "A", age: 3, children: [{ name: "B", age: 1 }] },
  R,
);
S(person, `{"error":"not found","similar":[{"name":"B","age":1}]}`, R);
S(person, `"{\\"name\\":\\"A\\",\\"age\\":3}"`, { name: "A", age: 3 });
S(person, `{"name":"A","age":3`, R);
S(person, `{"name":"A","age":1e2}`, { name: "A", age: 100 });
S(person, `{"name":123,"age":3}`, { name: "123", age: 3 });
S(person, `{"name":1.50,"age":3}`, { name: "1.50", age: 3 });
S(person, `{"name":true,"age":3}`, { name: "true", age: 3 }, R);
S(person, `{"name":null,"age":3}`, R);
S(person, `{"name":{"first":"A"},"age":3}`, R);
S(person, `{"name":"A","age":true}`, R);
S(person, `{"name":"A","age":"0x10"}`, R, { name: "A", age: 16 });
S(person, `{"name":"A","age":"1,000"}`, R, { name: "A", age: 1000 });
S(person, `{"name":"A","age":"1,000,000"}`, { name: "A", age: 1000000 });
S(person, `{"name":"A","age":"1.000.000"}`, R, { name: "A", age: 1000000 });
S(person, `{"name":"A","age":"12345678901234567890"}`, R);
S(person, `{"name":"A","age":9007199254740993}`, R, { name: "A", age: 9007199254740992 });
S(person, `{"name":"A","age":"9007199254740993"}`, R);
S(person, `{"name":"A","age":"３"}`, R, { name: "A", age: 3 });
S(obj({ n: num }), `{"n":"1e400"}`, R);
S(obj({ n: num }), `{"n":"50%"}`, R);
S(obj({ n: num }), `{"n":"$5"}`, R);
S(obj({ n: num }), `{"n":"1.5"}`, { n: 1.5 });
S(obj({ n: num }), `{"n":"-1.5e3"}`, { n: -1500 });
S(obj({ n: num }), `{"n":"1/2"}`, R);
S(obj({ n: num }), `{"n":""}`, R);
S(obj({ n: num }), `{"n":" "}`, R);
S(obj({ n: num }), `{"n":NaN}`, R);
S(obj({ n: num }), `{"n":".5"}`, { n: 0.5 }, R);
S(obj({ n: num }), `{"n":"٣"}`, R);
S(obj({ n: num }), `{"n":"1,5"}`, R);
S(obj({ n: num }), `{"n":"0.30"}`, { n: 0.3 });
S(obj({ n: num }), `{"n":"0.1000000000000000055511151231257827"}`, { n: 0.1 }, R);
S(obj({ b: bool }), `{"b":"true"}`, { b: true });
S(obj({ b: bool }), `{"b":"Yes"}`, { b: true });
S(obj({ b: bool }), `{"b":1}`, R, { b: true });
S(obj({ b: bool }), `{"b":"1"}`, R);
S(obj({ b: bool }), `{"b":"not true"}`, R);
S(obj({ b: bool }), `{"b":"false."}`, R, { b: false });
S(obj({ b: bool }), `{"b":"N"}`, R);
S(obj({ b: bool }), `{"b":"on"}`, R, { b: true });
const en = obj({ s: { enum: ["LOW", "HIGH", "NOT_HIGH"] } });
S(en, `{"s":"high"}`, { s: "HIGH" });
S(en, `{"s":"not high"}`, { s: "NOT_HIGH" });
S(en, `{"s":"Not-High"}`, { s: "NOT_HIGH" });
S(en, `{"s":"HIGH - bad"}`, { s: "HIGH" });
S(en, `{"s":"very high"}`, R);
S(en, `{"s":"HIGH or LOW"}`, R);
S(en, `{"s":"LOW: HIGH"}`, { s: "LOW" }, R);
S(en, `{"s":"**HIGH**"}`, { s: "HIGH" });
S(en, `{"s":["HIGH"]}`, { s: "HIGH" });
S(en, `{"s":"HIGH, LOW"}`, R);
S(en, `{"s":"High."}`, { s: "HIGH" });
S(en, `{"s":"HIGH (urgent)"}`, R, { s: "HIGH" });
S(en, `{"s":"not: HIGH"}`, R);
S(en, `{"s":"LOW – no, HIGH"}`, R, { s: "LOW" });
S({ enum: ["spam", "ham"] }, `spam`, "spam");
S({ enum: ["spam", "ham"] }, `Spam.`, "spam");
S({ enum: ["spam", "ham"] }, `The text is spam`, R, "spam");
S({ enum: ["spam", "ham"] }, `"spam"`, "spam");
S({ enum: ["spam", "ham"] }, `not spam`, R);
S({ enum: ["spam", "ham"] }, `${T}\nspam\n${T}`, "spam");
S({ enum: ["spam", "ham"] }, `- **SPAM**`, "spam", R);
S({ enum: ["spam", "ham"] }, `["spam"]`, "spam");
S({ enum: ["spam", "ham"] }, `{"label":"spam"}`, R, "spam");
S({ enum: ["spam", "ham"] }, `<think>ham?</think>spam`, "spam");
S(int, `42`, 42);
S(int, `"42"`, 42);
S(int, `The answer is 42`, R);
S(int, `42.`, 42, R);
S(int, `${T}json\n42\n${T}`, 42);
S(int, `<think>41</think>\n42`, 42);
S(bool, `True`, true);
S(bool, `yes`, true);
S(bool, `false`, false);
S(bool, `No.`, R, false);
S(num, `1.5`, 1.5);
S(num, `1,5`, R);
S(num, `[1.5]`, 1.5);
S({ type: "null" }, `null`, null);
S(str, `hello`, R, "hello");
S(str, `"hello"`, "hello");
S(str, `{"a":1}`, R);
S(str, `"{\\"a\\":1}"`, '{"a":1}');
S(str, `5`, "5", R);
S(list(int), `[1,"2",3.0]`, [1, 2, 3]);
S(list(int), `1, 2, 3`, [1, 2, 3]);
S(list(int), `5`, [5], R);
S(list(int), `{"items":[1,2]}`, [1, 2]);
S(list(int), `[[1,2]]`, [1, 2]);
S(list(int), `[[1,2],[3]]`, R);
S(list(int), `[1,2]\n[3]`, R);
S(list(int), `[]`, []);
S(list(int), `{}`, R);
S(list(int), `The list: []`, []);
S(list(int), `[1, 2, ...]`, [1, 2]);
S(list(str), `["a","b"]`, ["a", "b"]);
S(list(str), `- a\n- b`, R, ["a", "b"]);
S(list(str), `a, b`, R);
S(list(str), `"a", "b"`, ["a", "b"], R);
S(list(person), `{"name":"A","age":3}\n{"name":"B","age":4}`, [
  { name: "A", age: 3 },
  { name: "B", age: 4 },
]);
S(list(person), `{"name":"A","age":3}`, [{ name: "A", age: 3 }]);
S(list(person), `{"people":[{"name":"A","age":3}]}`, [{ name: "A", age: 3 }]);
S(list(person), `{"name":"A","age":3}, {"name":"B","age":4}`, [
  { name: "A", age: 3 },
  { name: "B", age: 4 },
]);
S(list(person), `1. {"name":"A","age":3}\n2. {"name":"B","age":4}`, R, [
  { name: "A", age: 3 },
  { name: "B", age: 4 },
]);
S(list(person), `${T}json\n{"name":"A","age":3}\n${T}\n${T}json\n{"name":"B","age":4}\n${T}`, R, [
  { name: "A", age: 3 },
  { name: "B", age: 4 },
]);
S(list(person), `[{"name":"A","age":3}]\n[{"name":"B","age":4}]`, R);
S(list(person), `{"0":{"name":"A","age":3},"1":{"name":"B","age":4}}`, R, [
  { name: "A", age: 3 },
  { name: "B", age: 4 },
]);
S(list(person), `Here is one: {"name":"A","age":3}. And another: {"name":"B","age":4}.`, R, [
  { name: "A", age: 3 },
  { name: "B", age: 4 },
]);
const strict = obj({ a: int }, ["a"], { additionalProperties: false });
S(strict, `{"a":1,"b":2}`, { a: 1 });
S(strict, `{"b":{"a":1}}`, { a: 1 }, R);
S(strict, `{"b":2}`, R);
S(strict, `{"a":1,"A":2}`, { a: 1 }, R);
S(strict, `{"A":1}`, { a: 1 });
// unions
const u = { anyOf: [obj({ kind: { const: "a" }, x: int }), obj({ kind: { const: "b" }, y: str })] };
S(u, `{"kind":"a","x":"1"}`, { kind: "a", x: 1 });
S(u, `{"kind":"B","y":2}`, { kind: "b", y: "2" });
S(u, `{"kind":"a","y":"2"}`, R);
S(u, `{"kind":"c","x":1}`, R);
S(u, `[{"kind":"a","x":1}]`, { kind: "a", x: 1 });
S(u, `{"a":{"x":1}}`, R, { kind: "a", x: 1 });
S(u, `{"kind":"a","x":1,"y":"z"}`, { kind: "a", x: 1, y: "z" });
S(u, `{"type":"a","x":1}`, R);
S(list(u), `[{"kind":"a","x":1},{"kind":"a","x":2},{"kind":"b","y":"q"}]`, [
  { kind: "a", x: 1 },
  { kind: "a", x: 2 },
  { kind: "b", y: "q" },
]);
S(obj({ v: { anyOf: [int, str] } }), `{"v":"3"}`, { v: "3" });
S(obj({ v: { anyOf: [int, bool] } }), `{"v":"3"}`, { v: 3 });
S(obj({ v: { anyOf: [int, { type: "null" }] } }), `{"v":"null"}`, { v: null });
S(obj({ v: { type: ["string", "null"] } }), `{"v":"null"}`, { v: "null" });
S(obj({ v: { type: ["string", "null"] } }), `{}`, { v: null }, R);
S(obj({ v: { type: ["integer", "null"] } }), `{"v":"N/A"}`, { v: null });
S(obj({ v: { type: ["integer", "null"] } }), `{"v":""}`, R, { v: null });
S(obj({ v: { anyOf: [list(str), str] } }), `{"v":"a"}`, { v: "a" });
S(obj({ v: { anyOf: [list(int), list(str)] } }), `{"v":["1","2"]}`, { v: ["1", "2"] });
S(obj({ v: { anyOf: [num, list(num)] } }), `{"v":"1"}`, R, { v: 1 });
S(obj({ v: { oneOf: [obj({ a: int }), obj({ b: int })] } }), `{"v":{"a":"1"}}`, { v: { a: 1 } });
S(obj({ v: { type: ["integer", "string"] } }), `{"v":true}`, R, { v: "true" });
// optional null
S(obj({ a: int, b: str }, ["a"]), `{"a":1,"b":null}`, { a: 1 });
S(obj({ a: int, b: str }, ["a"]), `{"a":1,"b":"null"}`, { a: 1, b: "null" });
S(obj({ a: int, b: int }, ["a"]), `{"a":1,"b":"n/a"}`, R, { a: 1 });
S(obj({ a: int, b: int }, ["a"]), `{"a":1,"b":""}`, R, { a: 1 });
// nested json
S(obj({ args: obj({ x: int }) }), `{"args":"{\\"x\\": 1}"}`, { args: { x: 1 } });
S(obj({ args: obj({ x: int }) }), `{"args":"{'x': 1,}"}`, { args: { x: 1 } });
S(obj({ args: obj({ x: int }) }), `{"args":"x=1"}`, R);
S(obj({ args: obj({ x: int }) }), `{"args":""}`, R);
S(obj({ args: obj({ x: int }) }), `{"args":"{\\"x\\": 1"}`, R);
S(obj({ args: obj({}, []) }), `{"args":""}`, R, { args: {} });
S(obj({ tags: list(str) }), `{"tags":"[\\"a\\",\\"b\\"]"}`, { tags: ["a", "b"] });
S(obj({ tags: list(str) }), `{"tags":"a"}`, { tags: ["a"] });
S(obj({ tags: list(str) }), `{"tags":"a, b"}`, R);
S(obj({ tags: list(str) }), `{"tags":"a and b"}`, { tags: ["a and b"] }, R);
S(obj({ tags: list(str) }), `{"tags":null}`, R);
S(obj({ tags: list(str) }), `{"tags":{"0":"a"}}`, R);
S(obj({ tags: list(str) }), `{"tags":""}`, R, { tags: [] }, { tags: [""] });
S(obj({ tags: list(str) }), `{"tags":"[a"}`, R, { tags: ["[a"] });
S(obj({ tags: list(str) }), `{"tags":"[]"}`, { tags: [] });
S(obj({ tags: list(str) }), `{"tags":"none"}`, R, { tags: ["none"] });
// recursive
const tree = {
  $defs: { n: obj({ v: int, kids: list({ $ref: "#/$defs/n" }) }, ["v"]) },
  $ref: "#/$defs/n",
};
S(tree, `{"v":"1","kids":[{"v":"2","kids":[{"v":3}]}]}`, {
  v: 1,
  kids: [{ v: 2, kids: [{ v: 3 }] }],
});
S(tree, `{"node":{"v":1}}`, { v: 1 });
S(tree, `{"kids":[{"v":1}]}`, R);
S(tree, `{"v":1,"kids":{"v":2}}`, { v: 1, kids: [{ v: 2 }] });
S(tree, `{"v":1,"kids":null}`, { v: 1 });
S(tree, `{"V":1,"Kids":[{"V":2}]}`, { v: 1, kids: [{ v: 2 }] });
S(tree, `{"v":"x","kids":[{"v":1}]}`, R);
S(tree, `[{"v":1},{"v":2}]`, R);
S(tree, `{"tree":[{"v":1}]}`, { v: 1 });
S({ $ref: "#", type: "object" }, `{"a":1}`, R, { a: 1 });
// dates & formats
const d = obj({ d: { type: "string", format: "date" } });
S(d, `{"d":"2024-02-30"}`, R);
S(d, `{"d":"2024-02-29"}`, { d: "2024-02-29" });
S(d, `{"d":"02/03/2024"}`, R);
S(d, `{"d":"2024-2-3"}`, R);
S(d, `{"d":2024}`, R);
S(d, `{"d":2024-02-03}`, { d: "2024-02-03" });
S(d, `{"d":"2024-02-03T00:00:00Z"}`, R);
S(d, `{d: new Date("2024-02-03")}`, { d: "2024-02-03" });
const f = (format: string, ok: string, no: string): void => {
  S(obj({ d: { type: "string", format } }), JSON.stringify({ d: ok }), { d: ok });
  S(obj({ d: { type: "string", format } }), JSON.stringify({ d: no }), R);
};
f("date-time", "2024-02-03T10:00:00Z", "2024-02-03 10:00");
f("email", "a@b.co", "a at b");
f("uuid", "123e4567-e89b-12d3-a456-426614174000", "123");
f("uri", "https://x.y", "not a uri");
f("time", "10:00:00Z", "25:00:00Z");
f("ipv4", "1.2.3.4", "1.2.3.400");
f("ipv6", "::1", "1.2.3.4");
f("hostname", "a.b", "-a-");
f("duration", "P1D", "1 day");
f("regex", "a+", "(");
// tuples
S({ type: "array", prefixItems: [int, str], items: false }, `["1", 2]`, [1, "2"]);
S(
  {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "array",
    items: [int, str],
    additionalItems: false,
  },
  `["1", 2]`,
  [1, "2"],
);
S(
  {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "array",
    items: [int, str],
    minItems: 2,
  },
  `["1", 2, true]`,
  [1, "2", true],
);
S({ type: "array", prefixItems: [int, str], minItems: 2 }, `(1, 'x')`, [1, "x"]);
S(
  obj({ p: { type: "array", prefixItems: [num, num], minItems: 2, maxItems: 2, items: false } }),
  `{"p": "1, 2"}`,
  R,
);
S(
  obj({ p: { type: "array", prefixItems: [num, num], minItems: 2, maxItems: 2, items: false } }),
  `{"p": {"0":1,"1":2}}`,
  R,
);
// maps
S({ type: "object", additionalProperties: int }, `{"a":"1","b":2}`, { a: 1, b: 2 });
S({ type: "object", additionalProperties: int, minProperties: 1 }, `{"map":{"a":1}}`, { a: 1 });
S({ type: "object", additionalProperties: int }, `{"a":"x"}`, R);
S({ type: "object", additionalProperties: list(int) }, `{"a":1}`, { a: [1] });
S(obj({ m: { type: "object", additionalProperties: str } }), `{"m": [{"key":"a","value":"1"}]}`, R);
// the member of a value that cannot be read
S(person, `x", "friend": {"name":"A","age":3}}`, R);
S(person, `{"name": ]: 1, "friend": {"name":"A","age":3}}`, R);
S(person, `{"name":"B","age":4,"x": ]:, "friend": {"name":"A","age":3}}`, R);
// numbers with digits
S(obj({ id: str }), `{"id": 12345678901234567890}`, { id: "12345678901234567890" });
S(obj({ id: str }), `{id: 0012}`, { id: "0012" });
S(obj({ v: str }), `{v: 1.10}`, { v: "1.10" });
S(obj({ v: str }), `{"v": 1e3}`, { v: "1e3" });
S(obj({ v: str }), `{"v": -0}`, { v: "-0" });
S(obj({ v: str }), `${T}json\n{"v": 3.00}\n${T}`, { v: "3.00" });
S(obj({ v: list(str) }), `{"v": [1.0, 2.50]}`, { v: ["1.0", "2.50"] });
S(obj({ v: str }), `{"w": {"v": 1.0}}`, { v: "1.0" });
S(obj({ v: str }), `{"v": "{\\"x\\": 1.0}"}`, { v: '{"x": 1.0}' });
S(obj({ a: obj({ v: str }) }), `{"a": "{\\"v\\": 1.0}"}`, { a: { v: "1.0" } });

describe("answers as models write them", () => {
  it.each(rows)("%j by %j", (text, schema, wants) => {
    const read = parseStructured(text, { schema });
    expect(wants).toContainEqual(read.ok ? read.value : REFUSED);
  });
});
