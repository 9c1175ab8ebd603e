import { describe, expect, it } from "vitest";

import { extractJson } from "./extract-json.ts";

// Each answer with the values that it may give; REFUSED where it may be refused.
const REFUSED = Symbol("refused");
const R = REFUSED;
const rows: [text: string, wants: unknown[]][] = [];
const E = (text: string, ...wants: unknown[]): void => void rows.push([text, wants]);
const r = String.raw;
const T = "```";

E('Sure thing! Here you go:\n\n{"a":1}\n\nLet me know {if} you need more.', { a: 1 });
E('I used {braces} and [brackets] in prose. Result: {"a":1}', { a: 1 });
E(`${T}json\n{"a":1}\n${T}\n\n> Note: {x}`, { a: 1 });
E(`~~~json\n{"a":1}\n~~~`, { a: 1 });
E(`${T}JSON\n{"a": 1}${T}`, { a: 1 });
E(`${T}json5\n{a: 1,}\n${T}`, { a: 1 });
E(`${T}javascript\nconst x = {a: 1, b: [2,3]};\n${T}`, { a: 1, b: [2, 3] });
E(`${T}python\nresult = {'a': True, 'b': None}\n${T}`, { a: true, b: null });
E(`${T}ts\nexport const config = { name: "x", list: ["a"] } as const;\n${T}`, {
  name: "x",
  list: ["a"],
});
E(`${T}\`json\n{"a":"${T}js\\ncode\\n${T}"}\n${T}\``, { a: `${T}js\ncode\n${T}` });
E(`${T}json\n{"md":"${T}js\\nlet a;\\n${T}"}\n${T}`, { md: `${T}js\nlet a;\n${T}` });
E(`Here is the JSON:${T}json{"a":1}${T}`, { a: 1 });
E(`${T}json\r\n{"a":1}\r\n${T}\r\n`, { a: 1 });
E(`\`{"a":1}\``, { a: 1 });
E(`**Answer:** \`{"a": 1}\``, { a: 1 });
E(`{"a":1}\n\nHope this helps! :)`, { a: 1 });
E(`{"a":1} // final`, { a: 1 });
E(`# Result\n\n- item one\n- item two\n\n{"a":1}`, { a: 1 });
E(`> {"a":1}`, { a: 1 });
E(`> ${T}json\n> {\n>   "a": 1,\n>   "b": 2\n> }\n> ${T}`, { a: 1, b: 2 }, R);
E(`1. First\n2. Second\n{"a":1}`, { a: 1 });
E(`Output:\n{"a":1}\nOutput:\n{"a":1}`, { a: 1 });
E(`Output:\n{"a":1}\nOutput:\n{"a":2}`, R);
E(`The list is [1, 2, 3].`, [1, 2, 3]);
E(`See [1] and [2]. {"a":1}`, { a: 1 });
E(`[see docs](http://x.y) {"a":1}`, { a: 1 });
E(`Use arr[0] and map["k"]: {"a":1}`, { a: 1 });
E(`f(x) = {x | x > 0}. {"a":1}`, { a: 1 });
E(`No JSON here.`, R);
E(``, R);
E(`   \n `, R);
E(`I can't help with that.`, R);
E(`{`, R);
E(`{"a"`, R);
E(`{"a":`, R);
E(`{"a":1`, R);
E(`{"a":1,`, R);
E(`[`, R);
E(`[1,2`, R);
E(`{"a":"b`, R);
E(`${T}json\n{"a":"b\n${T}`, R, { a: "b" });
E(`${T}json\n{"a":1,"b":[1,2\n${T}`, R);
E(`{"a":1,"b":{"c":2}`, R);
E(`{"a":"text that ends in mid sent`, R);
E(`{"a":tru`, R);
E(`{"a":12`, R);
E(`[{"a":1},{"a":2},{"a":`, R);
// tables round JSON
E(`| key | value |\n|---|---|\n| a | 1 |\n\n{"a":1}`, { a: 1 });
E(`| json |\n|---|\n| {"a":1} |`, { a: 1 });
E(`| id | json |\n|---|---|\n| 1 | {"a":1} |\n| 2 | {"a":2} |`, R);
// XML-ish wrappers
E(`<json>{"a":1}</json>`, { a: 1 });
E(`<answer>\n{"a":1}\n</answer>`, { a: 1 });
E(`<tool_call>\n{"name":"f","arguments":{"x":1}}\n</tool_call>`, {
  name: "f",
  arguments: { x: 1 },
});
E(`<output><![CDATA[{"a":1}]]></output>`, { a: 1 });
E(`<|im_start|>assistant\n{"a":1}<|im_end|>`, { a: 1 });
E(`{"a":1}<|eot_id|>`, { a: 1 });
E(`{"a":1}</s>`, { a: 1 });
E(`[TOOL_CALLS][{"name":"f","arguments":{"x":1}}]`, [{ name: "f", arguments: { x: 1 } }]);
E(`<think>maybe {"a":2}?</think>{"a":1}`, { a: 1 });
E(`<thinking>{"a":2}</thinking>\n\n{"a":1}`, { a: 1 });
E(`<think>\nfirst {"a":2}\n</think>\n${T}json\n{"a":1}\n${T}`, { a: 1 });
E(`reasoning {"a":2}\n</think>\n{"a":1}`, { a: 1 });
E(`<reasoning>hmm {"a":3}</reasoning>{"a":1}`, { a: 1 });
E(`<Think>hmm {"a":3}</Think>{"a":1}`, { a: 1 });
E(`<think >hmm {"a":3}</think >{"a":1}`, { a: 1 });
E(`<reflection>{"a":3} is wrong</reflection>{"a":1}`, { a: 1 }, R);
E(`<scratchpad>{"a":3}</scratchpad>\n<answer>{"a":1}</answer>`, { a: 1 }, R);
E(`<thought>a</thought>{"a":1}`, { a: 1 });
E(`◁think▷{"a":3}◁/think▷{"a":1}`, { a: 1 }, R);
E(`[THINK]{"a":3}[/THINK]{"a":1}`, { a: 1 }, R);
E(
  `<|channel|>analysis<|message|>maybe {"a":3}<|end|><|start|>assistant<|channel|>final<|message|>{"a":1}`,
  { a: 1 },
  R,
);
E(`{"html":"<think>not a tag</think>"}`, { html: "<think>not a tag</think>" });
E(`Here: {"html": '<think>x</think>', }`, { html: "<think>x</think>" });
E(`<think>\n</think>\n\n{"a":1}`, { a: 1 });
E(`<think>unfinished {"a":1}`, R);
// python
E(`{'a': 'b', 'c': None, 'd': True, 'e': False}`, { a: "b", c: null, d: true, e: false });
E(`{'a': "it's", 'b': 'say "hi"'}`, { a: "it's", b: 'say "hi"' });
E(`{'a': (1, 2), 'b': {1, 2}}`, { a: [1, 2], b: [1, 2] });
E(`[('a', 1), ('b', 2)]`, [
  ["a", 1],
  ["b", 2],
]);
E(`{'a': b'bytes'}`, { a: "bytes" }, R);
E(r`{'a': r'C:\dir'}`, { a: r`C:\dir` });
E(`{'a': f'x{1}'}`, R, { a: "x{1}" });
E(`{'a': u'text'}`, { a: "text" }, R);
E(`{'path': 'C:\\\\Users\\\\x'}`, { path: r`C:\Users\x` });
E(`{'d': datetime.date(2024, 1, 2)}`, R, { d: [2024, 1, 2] });
E(`{'d': datetime.datetime(2024, 1, 2, 3, 4)}`, R, { d: [2024, 1, 2, 3, 4] });
E(`{'d': Decimal('1.10')}`, { d: "1.10" });
E(`OrderedDict([('a', 1)])`, R, [["a", 1]]);
E(`{'a': 1_000, 'b': 0x1F, 'c': 1e3}`, { a: 1000, b: 31, c: 1000 });
E(`{'a': '''multi\nline'''}`, { a: "multi\nline" });
E(`{"a": """multi\n"line" x"""}`, { a: 'multi\n"line" x' });
E(`{'a': 'x' 'y'}`, { a: "xy" }, R);
E(`{'a': 'x' + 'y'}`, { a: "xy" });
E(`{"a": "x" +\n "y"}`, { a: "xy" });
E(`{'a': 'x',\n 'b': [1,\n 2,],\n}`, { a: "x", b: [1, 2] });
E(`{'a': -inf, 'b': nan}`, { a: null, b: null }, R, { a: "-inf", b: null });
E(`dict(a=1, b=2)`, R, { a: 1, b: 2 });
E(`Person(name='Ada', age=3)`, R, { name: "Ada", age: 3 });
E(`{'key': 'don\\'t'}`, { key: "don't" });
E(`{"key": "don\\'t"}`, { key: "don't" });
// JSON5
E(
  `{a: 1, 'b': 2, "c": +3, d: .5, e: 5., f: 0xFF, g: Infinity, h: NaN}`,
  { a: 1, b: 2, c: 3, d: 0.5, e: 5, f: 255, g: null, h: null },
  R,
);
E(`{a: 'line 1\\\nline 2'}`, { a: "line 1\nline 2" });
E(`{a: 'x\\x41'}`, { a: "xA" }, R, { a: r`x\x41` });
E(`{/* c */ a: 1, // d\n b: 2}`, { a: 1, b: 2 });
E(`{a: 1 /* {"b":2} */}`, { a: 1 });
E(`{"url": "http://x.y/z", "b": "a /* not */ b"}`, { url: "http://x.y/z", b: "a /* not */ b" });
E(`{url: http://x.y/z, b: 1}`, { url: "http://x.y/z", b: 1 });
E(`{url: https://x.y/z?a=1,2&b=3}`, { url: "https://x.y/z?a=1,2&b=3" }, R);
E(`{# comment\n"a": 1}`, { a: 1 });
E(`{"a": 1, # "b": 2\n"c": 3}`, { a: 1, c: 3 });
E(`{"a": "#notcomment"}`, { a: "#notcomment" });
E(`{"color": #ff0000, "b": 1}`, { color: "#ff0000", b: 1 }, R);
E(`{$a: 1, _b: 2, c-d: 3}`, { $a: 1, _b: 2, "c-d": 3 });
E(`{a b: 1}`, { "a b": 1 }, R);
E(`{1: "a", 2: "b"}`, { 1: "a", 2: "b" });
E(`{"a": undefined}`, { a: null });
E(`{"a": new Date("2024-01-01")}`, { a: "2024-01-01" });
E(
  `{"_id": ObjectId("507f1f77bcf86cd799439011"), "d": ISODate("2024-01-01T00:00:00Z"), "n": NumberLong(5)}`,
  { _id: "507f1f77bcf86cd799439011", d: "2024-01-01T00:00:00Z", n: 5 },
);
E(`callback({"a":1});`, { a: 1 });
E(`({"a":1})`, { a: 1 });
E(`module.exports = {a: 1}`, { a: 1 });
E(`{"a" => 1, "b" => "x"}`, { a: 1, b: "x" });
E(`{:a => 1, :b => "x"}`, { a: 1, b: "x" }, R);
E(`{"a" = 1; "b" = "x";}`, { a: 1, b: "x" });
E(`{a = 1, b = "x"}`, { a: 1, b: "x" });
// JSONL
E(`{"a":1}\n{"a":2}\n`, [{ a: 1 }, { a: 2 }], R);
E(`{"a":1}\r\n{"a":2}\r\n{"a":3}`, [{ a: 1 }, { a: 2 }, { a: 3 }], R);
E(`{"a":1},\n{"a":2}`, [{ a: 1 }, { a: 2 }], R);
E(`${T}jsonl\n{"a":1}\n{"a":2}\n${T}`, [{ a: 1 }, { a: 2 }], R);
E(`{"a":1}{"a":2}`, R, [{ a: 1 }, { a: 2 }]);
E(`{'a':1}\n{'a':2}`, [{ a: 1 }, { a: 2 }], R);
E(`{"a":1}\n{"a":`, R);
E(
  `[1,2]\n[3,4]`,
  [
    [1, 2],
    [3, 4],
  ],
  R,
);
E(`{"a":1}\n---\n{"a":2}`, R);
E(`data: {"a":1}\n\ndata: {"a":2}\n`, R, [{ a: 1 }, { a: 2 }]);
// escapes
E(r`{"re": "\d+\.\w*"}`, { re: r`\d+\.\w*` });
E(r`{"re": "^\\d+$"}`, { re: r`^\d+$` });
E(r`{"re": "\bword\b"}`, { re: r`\bword\b` }, R);
E(r`{"re": "\\bword\\b"}`, { re: r`\bword\b` });
E(r`{"re": "\bfoo\d"}`, { re: r`\bfoo\d` }, R);
E(r`{"t": "\frac{1}{2}"}`, { t: r`\frac{1}{2}` }, R);
E(r`{"t": "$\alpha + \beta$"}`, { t: r`$\alpha + \beta$` }, R);
E(r`{"t": "$\alpha$ and\nnew line"}`, R, { t: "$\\alpha$ and\nnew line" });
E(r`{"t": "\\frac{1}{2} \\times"}`, { t: r`\frac{1}{2} \times` });
E(r`{"t": "\sqrt{x}"}`, { t: r`\sqrt{x}` });
E(r`{"t": "\underline{x}"}`, { t: r`\underline{x}` });
E(r`{"t": "\uparrow"}`, { t: r`\uparrow` });
E(r`{"t": "\usepackage{x}"}`, { t: r`\usepackage{x}` });
E(r`{"p": "C:\Program Files\App"}`, { p: r`C:\Program Files\App` });
E(r`{"p": "C:\temp\new"}`, { p: "C:\temp\new" }, { p: r`C:\temp\new` }, R);
E(r`{"p": "\\server\share"}`, { p: r`\server\share` }, { p: r`\\server\share` }, R);
E(r`{"p": "\\\\server\\share"}`, { p: r`\\server\share` });
E(r`{"p": "C:\\Users\bob"}`, R, { p: "C:\\Users\bob" }, { p: r`C:\Users\bob` });
E(r`{"p": "C:\", "b": 1}`, { p: "C:\\", b: 1 }, R);
E(r`{"p": "C:\dir\", "b": 1}`, { p: "C:\\dir\\", b: 1 }, R);
E(r`{"p": "a\/b"}`, { p: "a/b" });
E(r`{"p": "\u00e9\u4e2d"}`, { p: "é中" });
E(r`{"p": "\ud83d\ude00"}`, { p: "😀" });
E(r`{"p": "\ud83d"}`, { p: "\ud83d" }, R);
E(r`{"p": "\u12"}`, { p: r`\u12` }, R);
E(r`{"p": "\x41"}`, { p: "A" }, { p: r`\x41` }, R);
E(r`{"p": "\0"}`, { p: r`\0` }, { p: "\0" }, R);
E(r`{"p": "\$5 and \[x\]"}`, { p: r`\$5 and \[x\]` }, { p: "$5 and [x]" }, R);
E(r`{"p": "a\_b"}`, { p: r`a\_b` }, { p: "a_b" }, R);
E(r`{\"a\": \"b\"}`, { a: "b" });
E(r`{\"a\": \"say \\\"hi\\\"\"}`, { a: 'say "hi"' });
E(r`{\"a\": \"line\\nnext\"}`, { a: "line\nnext" });
E(r`"{\"a\": 1}"`, { a: 1 });
E(r`"{\"a\": \"x\\ny\"}"`, { a: "x\ny" });
E(r`{\n  "a": 1,\n  "b": 2\n}`, { a: 1, b: 2 }, R);
E(r`{"a": "tab	here"}`, { a: "tab\there" });
E(`{"a": "line\nbreak"}`, { a: "line\nbreak" });
E(`{"a": "x\u0000y"}`, { a: "x\u0000y" });
E(r`{"a": "emoji \U0001F600"}`, { a: r`emoji \U0001F600` }, { a: "emoji 😀" }, R);
// quotes
E(`{"text": "He said "hello" to me"}`, { text: 'He said "hello" to me' });
E(`{"text": "He said "hello", and left"}`, { text: 'He said "hello", and left' });
E(`{"text": "65" television"}`, { text: '65" television' });
E(`{"text": "You can try 65", which are good television"}`, {
  text: 'You can try 65", which are good television',
});
E(`{"key": ["samsung 32" display"]}`, { key: ['samsung 32" display'] }, R);
E(`[{'id': None, 'name': '12"34"'}]`, [{ id: null, name: '12"34"' }]);
E(`{"title": ""hello" world"}`, { title: '"hello" world' });
E(`{"title": "say "hi""}`, { title: 'say "hi"' });
E(`{"title": ""hi""}`, { title: '"hi"' }, { title: "hi" });
E(`{"a": "b", "c": "the "d": e"}`, { a: "b", c: 'the "d": e' }, R);
E(`{"a": "x", "b": "y" z"}`, { a: "x", b: 'y" z' });
E(`{"html": "<a href="x.html" class="y">z</a>", "n": 1}`, {
  html: '<a href="x.html" class="y">z</a>',
  n: 1,
});
E(`{"code": "print("a, b")", "n": 1}`, { code: 'print("a, b")', n: 1 });
E(`{"code": "f("a", "b")"}`, { code: 'f("a", "b")' }, R);
E(`{"code": "x = {"a": 1}"}`, { code: 'x = {"a": 1}' }, R);
E(`{"code": "x = ["a", "b"]", "n": 2}`, { code: 'x = ["a", "b"]', n: 2 }, R);
E(`{'a': 'it's fine', 'b': 'ok'}`, { a: "it's fine", b: "ok" });
E(`{'a': 'rock 'n' roll', 'b': 1}`, { a: "rock 'n' roll", b: 1 });
E(`{'a': 'the dogs' bone', 'b': 1}`, { a: "the dogs' bone", b: 1 });
E(`{“a”: “b”, “c”: “d”}`, { a: "b", c: "d" });
E(`{"a": “quoted”, "b": ‘x’}`, { a: "quoted", b: "x" });
E(`{"a": "she said “yes”"}`, { a: "she said “yes”" });
E(`{„a“: „b“}`, { a: "b" });
E(`{«a»: «b»}`, { a: "b" });
E("{`a`: `b`}", { a: "b" });
E(`{"a": 'b", "c": 1}`, R, { a: "b", c: 1 });
E(`{"a: 1, "b": 2}`, { a: 1, b: 2 }, R);
E(`{"a": 1, b": 2}`, { a: 1, b: 2 });
E(`{"a": "b, "c": "d"}`, { a: "b", c: "d" });
E(`{"a": b", "c": "d"}`, { a: "b", c: "d" });
E(`{"a": "b"\n"c": "d"}`, { a: "b", c: "d" });
E(`{"a": "b" "c": "d"}`, { a: "b", c: "d" });
E(`["a" "b" "c"]`, ["a", "b", "c"]);
E(`["a", "b" "c"]`, ["a", "b", "c"], R);
E(`{"a": 1 "b": 2}`, { a: 1, b: 2 });
E(`{"a":1,,"b":2}`, { a: 1, b: 2 });
E(`[1,,2]`, [1, 2], R, [1, null, 2]);
E(`{"a" 1}`, { a: 1 });
E(`{"a":: 1}`, { a: 1 }, R);
E(`{"a": 1}}`, { a: 1 });
E(`{"a": [1, 2}, "b": 3}`, { a: [1, 2], b: 3 });
E(`{"a": {"b": 1], "c": 2}`, { a: { b: 1 }, c: 2 });
E(`{"a": [{"b": 1}, {"b": 2], "c": 3}`, { a: [{ b: 1 }, { b: 2 }], c: 3 });
E(
  `[{"type":"xxx","content":{"aaa":[{"d":"0"}],"bbb":[{"d":"0"}}]},{"type":"y"}]`,
  [{ type: "xxx", content: { aaa: [{ d: "0" }], bbb: [{ d: "0" }] } }, { type: "y" }],
  R,
);
E(`{"a": ,"b": 1}`, { a: null, b: 1 });
E(`{ "is_cheating": false, "evidence_types": }`, { is_cheating: false, evidence_types: null });
E(`{"a": 1, "a": 2}`, { a: 2 }, R);
E(`[1, 2, 3, ...]`, [1, 2, 3]);
E(`{"a": 1, ...}`, { a: 1 });
E(`[1, 2, ..., 10]`, [1, 2, 10], R);
E(`{"a": "...", "b": "x..."}`, { a: "...", b: "x..." });
E(`{"a": ...}`, R, { a: null }, { a: "..." });
E(`{"items": [{"id": 1}, {"id": 2}, // more items\n]}`, { items: [{ id: 1 }, { id: 2 }] });
E(`{"a": value with spaces, "b": 2}`, { a: "value with spaces", b: 2 });
E(`{name: John Smith, age: 3}`, { name: "John Smith", age: 3 });
E(`{date: 2024-01-02, time: 10:30}`, { date: "2024-01-02", time: "10:30" });
E(`{ip: 192.168.0.1, v: 1.2.3}`, { ip: "192.168.0.1", v: "1.2.3" });
E(`{a: yes, b: no, c: on}`, { a: "yes", b: "no", c: "on" });
E(`{phone: +1 555 123, zip: 01234}`, { phone: "+1 555 123", zip: "01234" });
E(`{price: $5.00, pct: 50%}`, { price: "$5.00", pct: "50%" });
E(`{price: 1,234.50, b: 1}`, { price: 1234.5, b: 1 }, R);
E(`{frac: 1/2}`, { frac: "1/2" });
E(`{a: 1, b: {c: d}}`, { a: 1, b: { c: "d" } });
E(`{"a": "b";"c": "d"}`, { a: "b", c: "d" });
E(`{"a"： "b"，"c"： 1}`, { a: "b", c: 1 });
E(`｛"a": 1｝`, { a: 1 });
E(`{「a」：「b」}`, { a: "b" });
// whitespace & invisible
E(`\ufeff{"a":1}`, { a: 1 });
E(`\u200b{"a":1}`, { a: 1 });
E(`{\u00a0"a":\u00a01}`, { a: 1 });
E(`{"a":\u200b1,\u200b"b":2}`, { a: 1, b: 2 });
E(`{"\u200ba":1}`, { "\u200ba": 1 });
E(`\ufeff${T}json\n\ufeff{"a":1}\n${T}`, { a: 1 });
E(`{\u2028"a":1}`, { a: 1 });
E(`{"a":1}\u0000`, { a: 1 });
E(`{"a":\u202f"x"}`, { a: "x" });
E(`\u202a{"a":1}\u202c`, { a: 1 });
// non-Latin
E(`Вот ответ: {"имя": "Аня", "возраст": 3}`, { имя: "Аня", возраст: 3 });
E(`{имя: 'Аня', возраст: 3}`, { имя: "Аня", возраст: 3 });
E(`答案：{"名前": "太郎"}`, { 名前: "太郎" });
E(`{"text": "他说“你好”，然后走了"}`, { text: "他说“你好”，然后走了" });
E(`{"text": "他说"你好"，然后走了"}`, { text: '他说"你好"，然后走了' });
E(`{"نام": "علی", "سن": ۳}`, { نام: "علی", سن: "۳" }, { نام: "علی", سن: 3 }, R);
E(`{"שם": "דנה"}`, { שם: "דנה" });
E(`{"a": "ไทย", 'b': 'ไทย'}`, { a: "ไทย", b: "ไทย" });
E(`{"emoji": "👩‍👩‍👧", x: '🎉'}`, { emoji: "👩‍👩‍👧", x: "🎉" });
// numbers
E(`{"a": 1.0, "b": -0, "c": 1E5}`, { a: 1, b: -0, c: 1e5 });
E(`{"a": 01, "b": 007}`, { a: "01", b: "007" }, R);
E(`{"a": 1.}`, { a: 1 });
E(`{"a": .5}`, { a: 0.5 });
E(`{"a": +1}`, { a: 1 });
E(`{"a": 1_000}`, { a: 1000 });
E(`{"a": --1}`, { a: "--1" }, R);
E(`{"a": 1e}`, { a: 1 }, { a: "1e" }, R);
E(`{"a": 1.2.3}`, { a: "1.2.3" });
E(`{"a": 0b101}`, { a: 5 });
E(
  `{"a": 12345678901234567890}`,
  { a: Number("12345678901234567890") },
  { a: "12345678901234567890" },
);
E(`{"a": 1e999}`, { a: "1e999" }, R);
E(`{"a": 3 apples}`, { a: "3 apples" }, R);
E(`{"a": 5 (approx), "b": 1}`, { a: "5 (approx)", b: 1 }, R);
E(`{"a": 10 + 5}`, { a: "10 + 5" }, R, { a: 15 });
E(`42`, 42);
E(`"hello"`, "hello");
E(`true`, true);
E(`null`, null);
E(`The answer is 42.`, R);
// prototype
E(`{"__proto__": {"x": 1}, a: 1}`, JSON.parse('{"__proto__": {"x": 1}, "a": 1}'));
E(`{'constructor': 1, 'toString': 2}`, { constructor: 1, toString: 2 });
// labels, yaml
E(`name: Ada\nage: 3`, R);
E(`{name: Ada\nage: 3}`, { name: "Ada", age: 3 });
E(
  `{\n  name: Ada,\n  bio: Likes tea, coffee and cake.\n  age: 3\n}`,
  { name: "Ada", bio: "Likes tea, coffee and cake.", age: 3 },
  R,
);
E(`{"a": |\n multi\n}`, R, { a: "|\n multi" });
E(`"a": 1, "b": 2`, R, { a: 1, b: 2 });
E(`"a": {"b": 1}`, R, { a: { b: 1 } });
E(`result: {"a": 1}`, { a: 1 });
E(`"result": {"a": 1}, "status": "ok"`, R, { result: { a: 1 }, status: "ok" });
E(`Answer: [{"a":1},{"a":2}] (2 rows)`, [{ a: 1 }, { a: 2 }]);
E(`Total [USD]: {"a": 1}`, { a: 1 });
E(`{"a":1} and {"b":2}`, R);
E(`{{"a": 1}}`, { a: 1 }, R);
E(`{"a": {{b}}}`, R, { a: "{{b}}" }, { a: { "{b": null } });
E(`{"tpl": "Hello {{name}}"}`, { tpl: "Hello {{name}}" });
E(
  `{"a": [1, 2, 3], "b": [4, 5], [6, 7]}`,
  R,
  { a: [1, 2, 3], b: [4, 5, 6, 7] },
  {
    a: [1, 2, 3],
    b: [
      [4, 5],
      [6, 7],
    ],
  },
);
E(`{ "a": "x",\n- "b": 2\n}`, R, { a: "x", b: 2 });
E(`{\n+ "a": 1,\n+ "b": 2\n}`, R, { a: 1, b: 2 });
E(`  1: {\n  2:   "a": 1\n  3: }`, R, { a: 1 });
E(`{"a":"b"}.`, { a: "b" });
E(`{"a":"b"}"`, { a: "b" }, R);
E(`"{"a":"b"}"`, { a: "b" }, R);
E(`'{"a":"b"}'`, { a: "b" });
E(`"""{"a":"b"}"""`, { a: "b" });
E(`json\n{"a":1}`, { a: 1 });
E(`json{"a":1}`, { a: 1 });
E(`JSON: {"a":1}`, { a: 1 });
E(`{"a":1}json`, R, { a: 1 });
E(`assistant: {"a":1}`, { a: 1 });
E(`{"a":"x"}\n{"b":"y"}\nBoth are needed.`, R);
E(`Step 1: {"a":1}. Step 2: {"a":1,"b":2}.`, R);
E(`{"a":1}\n\n(Note: {"a":1} is the default.)`, { a: 1 });

// the start is missing
E(`"a": 1, "b": {"c": 2}}`, { a: 1, b: { c: 2 } }, R);
E(`"a": {"b": {"c": 2}}}`, { a: { b: { c: 2 } } }, R);
E(`\n  "a": "x",\n  "b": 2\n}`, { a: "x", b: 2 }, R);
E(`x", "b": {"c": 2}}`, R);
E(`x", "b": {"c": 2}, "d": 3}`, R);
E(`{"a": ]: 1, "b": {"c": 2}}`, R);
// labels in brackets
E(`[RESULT]\n{"a": 1}\n[/RESULT]`, { a: 1 });
E(`[JSON]\n{"a": 1}`, { a: 1 });
E(`[Ulm]`, ["Ulm"]);
// members never become part of a key or a text
E(`{"a": [1], 2], "b": 3}`, R, { a: [1, 2], b: 3 });
E(`{"a": 1, "b": ]:, "c": {"d": 4}}`, R);
E(`{"a": 1 "b"}`, R);
E(`{"a": "x", "b", "c": "y"}`, R);
E(`{"a": "x", "b" "c": "y"}`, R);
E(`{"a": "one", "two", "three", "b": 1}`, R, { a: ["one", "two", "three"], b: 1 });
E(`{"a": "x.split(", ")", "b": 1}`, { a: 'x.split(", ")', b: 1 }, R);
E(`{"a": ["x: y"\n +7.\n null\n "f({a: 1})"]}`, { a: ["x: y", 7, null, "f({a: 1})"] }, R);
E(`[["a/b"\n 25\n [7\n "50 %"\n true]\n "c"]\n ""]`, [["a/b", 25, [7, "50 %", true], "c"], ""]);
E(`{"a": Ulm\u200b, "b": 1}`, { a: "Ulm", b: 1 });
// the opening bracket is lost
E(`"x",\n[{"b": 1}, 2],\nnull]`, R);
E(`\n "say \\"hi\\"",\n "f({a: 1})"\n]`, R);
E(`function f() {\n  return {"a": 1};\n}`, { a: 1 }, R);
// an opening quote is lost
E(`{"a": the \\"big\\" one"}`, { a: 'the "big" one' });
E(`["x", tab\\there", 1]`, ["x", "tab\there", 1]);
E(`["x", "y",\n a/b.ts",\n true]`, ["x", "y", "a/b.ts", true]);
E(`{"a": "x",b": "y"}`, { a: "x", b: "y" });
// a text with structure is no key
E(`["\n ",\n 15,\n {"a": {"b": 1}}]`, ["\n ", 15, { a: { b: 1 } }], R);
E(`[\n ",\n 15,\n {\n "a": {"b": 1}\n }, 2\n]`, R);
// a quote too many at a key
E(`{"a"": "x", "b"": 1}`, { a: "x", b: 1 });
E(`{""a": "x", "b": 1}`, { a: "x", b: 1 });
E(`{&quot;a&quot;: 1}`, R, { a: 1 });
// inner quotes beside what ends a string elsewhere: a comment, dots, a number, a bracket, a bare key
E(`{'a': 'Mr. '3 x' y', #tag',\n 'b': 1}`, { a: "Mr. '3 x' y', #tag", b: 1 }, R);
E(`{"a": "the "#1" song", "b": 1}`, { a: 'the "#1" song', b: 1 });
E(`{"a": "x", # it's the user's\n "b": 1}`, { a: "x", b: 1 });
E(`{"a": "x", // "b": "y",\n "c": 1}`, { a: "x", c: 1 });
E(`{'a': 'in 5'9 '…' #x', 'b': 1}`, { a: "in 5'9 '…' #x", b: 1 }, R);
E(`{a: "one: "two"", b: [{c: "x"}], d: "three "four" y"}`, {
  a: 'one: "two"',
  b: [{ c: "x" }],
  d: 'three "four" y',
});
E(`["Ulm ("3.5", N x) it's", {"k": 1}]`, [`Ulm ("3.5", N x) it's`, { k: 1 }]);
E(`{a: "one "two" x",\n b: "three "four" y",\n c: 1}`, {
  a: 'one "two" x',
  b: 'three "four" y',
  c: 1,
});
E(`{"a": "6'2\\"", "b": "5'9""}`, { a: `6'2"`, b: `5'9"` });
E(`Here you go: ['O'Neil said [1] it's']`, ["O'Neil said [1] it's"], R);
E(`Here you go: ['the (‘fox’) a', 'b’s', {'k': 1}]`, ["the (‘fox’) a", "b’s", { k: 1 }], R);
// brackets and commas of other widths, or equals signs, between two strings
E(`［［［"x"\n "y"\n 1500］\n "z"\n ［"w"］］］`, [[["x", "y", 1500], "z", ["w"]]]);
E(`{"b": {"2" = "a"\n "c" = ["x"\n "y"]\n "n" = -7\n "t" = "u"}}`, {
  b: { 2: "a", c: ["x", "y"], n: -7, t: "u" },
});
// a number in brackets that cites a source
E(`The source [1] does not say.`, R);
E(`It is not in the list, see [12].`, R);
E(`Nothing is known.\n\nSources:\n[1] https://example.org/a`, R);
E(`[1] says that nothing is known.`, R);
E(`The answer is [1].`, [1]);
E(`Answer:\n[3]`, [3]);
E(`Here you go:\n\n[1]\n\nDone.`, [1]);
E(r`{"p": "\\srv\share\dir"}`, { p: r`\\srv\share\dir` }, R);

describe("answers as models write them", () => {
  it.each(rows)("%j", (text, wants) => {
    const read = extractJson(text);
    expect(wants).toContainEqual(read.ok ? read.value.value : REFUSED);
  });

  it.each(['["a ', '{"a": "x '])("ends on a long text of unpaired quotes behind %s", (start) => {
    expect(extractJson(start + '"b c '.repeat(20_000)).ok).toBe(false);
  });

  it("reads a long list of short rows with inner quotes", () => {
    const rows = Array.from({ length: 3000 }, (_, n) => ({ t: `say "x${n}" now`, n }));
    const text = `[${rows.map(({ t, n }) => `{"t": "${t}", "n": ${n}}`).join(",\n")}]`;
    expect(extractJson(text)).toMatchObject({ ok: true, value: { value: rows } });
  });
});
