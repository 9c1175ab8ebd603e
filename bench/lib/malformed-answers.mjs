// Answers as models give them, by class, each with the intended value. `undefined` means that the answer must be
// rejected.
const answer = (input, expected) => ({ input, expected });

export const malformedAnswers = {
  "fences and prose": [
    answer('Sure!\n\n```json\n{"city": "Oslo"}\n```\n\nAnything else?', { city: "Oslo" }),
    answer('```\n{"readme": "Run:\\n```sh\\nnpm test\\n```\\n", "ok": true}\n```', {
      readme: "Run:\n```sh\nnpm test\n```\n",
      ok: true,
    }),
    answer('As [1] shows, the result is {"city": "Oslo"}.', { city: "Oslo" }),
    answer('<think>Perhaps {"city": "Rome"}?</think>\n{"city": "Oslo"}', { city: "Oslo" }),
    answer('I weighed {"city": "Rome"} first.</think>{"city": "Oslo"}', { city: "Oslo" }),
    answer('```json\n{"city": "Oslo"}', { city: "Oslo" }),
    answer("Use {placeholders} as usual:\n```json\n[1, 2]\n```", [1, 2]),
  ],
  "encoded twice": [
    answer('"{\\"city\\": \\"Oslo\\"}"', { city: "Oslo" }),
    answer('{\\"city\\": \\"Oslo\\"}', { city: "Oslo" }),
    answer('"[{\\"n\\": 1}, {\\"n\\": 2}]"', [{ n: 1 }, { n: 2 }]),
  ],
  "quotation marks": [
    answer("{'city': 'Oslo', 'note': 'it's cold'}", { city: "Oslo", note: "it's cold" }),
    answer('{city: "Oslo", zip-code: "0150"}', { city: "Oslo", "zip-code": "0150" }),
    answer("{“city”: “Oslo”}", { city: "Oslo" }),
    answer("{`city`: `Oslo`}", { city: "Oslo" }),
    answer('{"city": Oslo, "ok": true}', { city: "Oslo", ok: true }),
    answer('{"city": """Oslo\nNorway"""}', { city: "Oslo\nNorway" }),
    answer('{""city"": ""Oslo""}', { city: "Oslo" }),
    answer('{"city": "Oslo, "zip": "0150"}', { city: "Oslo", zip: "0150" }),
  ],
  "quotes inside strings": [
    answer('{"html": "<a href="x.html" class="b">Go</a>"}', {
      html: '<a href="x.html" class="b">Go</a>',
    }),
    answer('{"say": "He said "no", and left", "ok": true}', {
      say: 'He said "no", and left',
      ok: true,
    }),
    answer('["the "big" one", "the "small" one"]', ['the "big" one', 'the "small" one']),
    answer('{"code": "print("a", {"b": 1})", "n": 2}', { code: 'print("a", {"b": 1})', n: 2 }),
    answer('{"code": "if (x) { run("}") }", "n": 2}', { code: 'if (x) { run("}") }', n: 2 }),
    answer('{"size": "5" x 7" print"}', { size: '5" x 7" print' }),
  ],
  "raw characters and escapes": [
    answer('{"code": "def f():\n\treturn 1\n", "n": 1}', { code: "def f():\n\treturn 1\n", n: 1 }),
    answer('{"path": "C:\\dir\\x", "re": "\\d+"}', { path: "C:\\dir\\x", re: "\\d+" }),
    answer('{"note": "it\\\'s"}', { note: "it's" }),
    answer('{"a":\u00a01}', { a: 1 }),
  ],
  "commas, colons, brackets": [
    answer('{"a": 1, "b": [1, 2,],}', { a: 1, b: [1, 2] }),
    answer('{"a": 1 "b": 2}', { a: 1, b: 2 }),
    answer('{"a": "x"\n "b": "y"}', { a: "x", b: "y" }),
    answer('[{"a": 1} {"a": 2}]', [{ a: 1 }, { a: 2 }]),
    answer('{"a" "x", "b": 2}', { a: "x", b: 2 }),
    answer('{"a": 1}}', { a: 1 }),
    answer('[{"a": {"b": 1}]', [{ a: { b: 1 } }]),
    answer('{"a": [1, 2}, "b": 3}', { a: [1, 2], b: 3 }),
  ],
  "comments and ellipses": [
    answer('{"a": 1, // the first\n "b": 2 /* the second */}', { a: 1, b: 2 }),
    answer('{"a": 1, # the first\n "b": 2}', { a: 1, b: 2 }),
    answer('{"url": "http://x.y//z", "b": 1,}', { url: "http://x.y//z", b: 1 }),
    answer("[1, 2, ...]", [1, 2]),
    answer('{"a": 1, ...}', { a: 1 }),
  ],
  "Python and JavaScript": [
    answer('{"a": True, "b": None, "c": False}', { a: true, b: null, c: false }),
    answer("{'a': (1, 2), 'b': {'x', 'y'}}", { a: [1, 2], b: ["x", "y"] }),
    answer('const x = {a: 1, b: "x" + "y"};', { a: 1, b: "xy" }),
    answer("{n: +1, m: .5, k: 0xFF}", { n: 1, m: 0.5, k: 255 }),
    answer('{"id": ObjectId("5f")}', { id: "5f" }),
    answer("{a: undefined, b: 2}", { a: null, b: 2 }),
  ],
  "several values": [
    answer('{"n": 1}\n{"n": 2}\n', [{ n: 1 }, { n: 2 }]),
    answer('{"n": 1},\n{"n": 2}', [{ n: 1 }, { n: 2 }]),
    answer('First {"n": 1}, as fenced:\n```json\n{"n": 2}\n```', { n: 2 }),
  ],
  "cut off": [
    answer('{"a": 1, "b": [1, 2', undefined),
    answer('{"a": "the text sto', undefined),
    answer('```json\n{"a": [{"b": 1}, {"b":\n```', undefined),
    answer("{'a': 'b', 'c': ['d', 'e'", undefined),
    answer('[{"a": 1}, {"a": 2}', undefined),
    answer('The plan: {"actions": [{"type": "x"}], "summary": "do', undefined),
    answer('{"code": "x = {}\n}', undefined),
    answer('{"a": 1, // and so on', undefined),
  ],
  "no JSON": [
    answer("I cannot help with that.", undefined),
    answer("", undefined),
    answer("Use [name] in {braces}.", undefined),
  ],
};
