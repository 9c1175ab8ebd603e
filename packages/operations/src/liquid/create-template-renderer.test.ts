import type { ChatMessage } from "@ccl/core";
import { createFixedClock, wordCounter } from "@ccl/core/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createTemplateRenderer } from "./create-template-renderer.ts";
import type { TemplateScope } from "./template-renderer.ts";

const renderer = createTemplateRenderer({
  counter: wordCounter,
  clock: createFixedClock(Date.UTC(2025, 0, 2)),
});

const chatHistory: ChatMessage[] = [
  { id: "m1", role: "user", content: "Where is\nthe key?" },
  {
    id: "m2",
    role: "assistant",
    content: "",
    toolCalls: [{ id: "c", name: "look", arguments: '{"at":"desk"}' }],
  },
  { id: "m3", role: "tool", toolCallId: "c", content: "a key" },
  { id: "m4", role: "assistant", content: [{ type: "text", text: "On the desk." }] },
];
const scope: TemplateScope = {
  art: {
    stats: { hp: 7, name: "Mira", tags: ["b", "a"] },
    note: "{{ art.stats.hp }}",
    items: [{ n: 2 }, { n: 1 }],
  },
  chatHistory,
};

function textOf(template: string, given: TemplateScope = scope): string {
  const result = renderer.render(template, given);
  return result.ok
    ? result.value
    : `! ${result.issues.map(({ code, message }) => `${code}: ${message}`).join()}`;
}

describe("createTemplateRenderer", () => {
  it.each([
    ["text without Liquid as it is", "50 % of {that}", "50 % of {that}"],
    ["values by tag", "{{ art.stats.name }} has {{ art.stats.hp }}", "Mira has 7"],
    [
      "objects and lists as JSON with sorted keys",
      "{{ art.stats }}",
      '{"hp":7,"name":"Mira","tags":["b","a"]}',
    ],
    ["nothing for what does not exist", "[{{ art.missing.deep }}]", "[]"],
    ["conditions", '{% if art.stats.tags contains "a" %}yes{% else %}no{% endif %}', "yes"],
    ["the last messages", "{{ chatHistory | last: 1 | compact }}", "assistant: On the desk."],
    [
      "the first messages",
      "{% for m in chatHistory | first: 2 %}{{ m.role }};{% endfor %}",
      "user;assistant;tool;assistant;",
    ],
    ["one message", "{% assign m = chatHistory | last %}{{ m.content }}", "On the desk."],
    [
      "messages by role",
      '{{ chatHistory | by_role: "user", "tool" | compact }}',
      "user: Where is the key?\ntool: a key",
    ],
    [
      "tool calls in the compact form",
      "{{ chatHistory | slice: 1 | compact }}",
      'assistant: [calls look({"at":"desk"})]',
    ],
    [
      "messages as JSON",
      "{{ chatHistory | last: 1 | json }}",
      '[{"content":"On the desk.","id":"m4","role":"assistant"}]',
    ],
    ["JSON of a text", "{{ art.stats.name | json }}", '"Mira"'],
    ["JSON of nothing", "{{ art.missing | json }}", "null"],
    ["indented JSON", "{{ art.stats.tags | json: 1 }}", '[\n "b",\n "a"\n]'],
    [
      "tokens of a text",
      '{{ "one two three" | tokens }}',
      String(wordCounter.count("one two three")),
    ],
    ["lists sorted by a property", '{{ art.items | sort: "n" | map: "n" | join: "," }}', "1,2"],
    ["lists filtered by a property", '{{ art.items | where: "n", 2 | size }}', "1"],
    ["list without null", '{{ art.stats.tags | compact | join: "-" }}', "b-a"],
    [
      "texts with filters of the library",
      '{{ art.stats.name | upcase | append: "!" | replace: "I", "i" }}',
      "MiRA!",
    ],
    ["numbers", "{{ art.stats.hp | plus: 3 | times: 2 }}", "20"],
    ["the injected date, in UTC", '{{ "now" | date: "%Y-%m-%d %H" }}', "2025-01-02 00"],
    ["a default", '{{ art.missing | default: "none" }}', "none"],
    ["captures", "{% capture a %}x{{ art.stats.hp }}{% endcapture %}{{ a }}{{ a }}", "x7x7"],
    ["values that look like templates as data", "{{ art.note }}", "{{ art.stats.hp }}"],
    [
      "captured template text as data",
      "{% capture a %}{{ art.note }}{% endcapture %}{{ a }}",
      "{{ art.stats.hp }}",
    ],
  ])("renders %s", (_name, template, expected) => {
    expect(textOf(template)).toBe(expected);
  });

  it("fails on a missing variable only where variables are strict", () => {
    const strict = renderer.render("{{ art.missing }}", scope, { strictVariables: true });
    expect(strict).toMatchObject({ ok: false, issues: [{ code: "template_render_error" }] });
    expect(strict.ok ? "" : strict.issues[0]?.message).toMatchInlineSnapshot(
      `"The template cannot be rendered: undefined variable: art.missing, line:1, col:4."`,
    );
    expect(renderer.render("{{ art.stats.hp }}", scope, { strictVariables: true })).toEqual({
      ok: true,
      value: "7",
    });
  });

  it.each([
    ["a syntax fault", "{% if %}"],
    ["an unclosed tag", "{% for i in art.items %}"],
    ["an unknown filter", "{{ art.note | shout }}"],
    ["include", '{% include "/etc/passwd" %}'],
    ["render", '{% render "x" %}'],
    ["layout", '{% layout "x" %}'],
    ["block", "{% block a %}{% endblock %}"],
    ["an expression in a text", '{{ art.items | where_exp: "i", "i.n == 1" }}'],
    ["random choice", "{{ art.items | sample }}"],
    ["a billion turns", "{% for i in (1..1000000000) %}x{% endfor %}"],
    ["a billion empty turns", "{% for i in (1..1000000000) %}{% endfor %}"],
    ["endless turns by a text", '{% assign n = "1e99" %}{% for i in (1..n) %}{% endfor %}'],
    [
      "nested loops",
      "{% for a in (1..9999) %}{% for b in (1..9999) %}{% for c in (1..9999) %}{% endfor %}{% endfor %}{% endfor %}",
    ],
    [
      "text that doubles by append",
      `{% assign a = "xxxxxxxx" %}${"{% assign a = a | append: a %}".repeat(40)}{{ a }}`,
    ],
    [
      "text that doubles by capture",
      `{% assign a = "xxxxxxxx" %}${"{% capture a %}{{ a }}{{ a }}{% endcapture %}".repeat(40)}{{ a }}`,
    ],
    [
      "lists that double",
      `{% assign a = "a,b" | split: "," %}${"{% assign a = a | concat: a %}".repeat(40)}{{ a | size }}`,
    ],
    ["wide dates", '{{ "now" | date: "%999999999d" }}'],
    [
      "quadratic replacement",
      `{% capture a %}{% for i in (1..9999) %}a{% endfor %}{% endcapture %}{% assign b = a | replace: "a", a %}{{ b }}`,
    ],
    [
      "a long text to look for",
      '{% capture a %}{% for i in (1..2000) %}a{% endfor %}{% endcapture %}{{ a | replace: a, "" }}',
    ],
    ["deep nesting", `${"{% if true %}".repeat(6_000)}x`],
    ["a template that is too long", "{{ 1 }}".repeat(20_000)],
  ])("refuses %s", (_name, template) => {
    expect(textOf(template)).toMatch(/^! template_render_error: The template cannot be rendered: /);
  });

  it.each([
    "constructor",
    "__proto__",
    "prototype",
    "toString",
    "valueOf",
    "hasOwnProperty",
    "__defineGetter__",
  ])("reads nothing from %s", (key) => {
    const template = `[{{ ${key} }}{{ art.${key} }}{{ art["${key}"] }}{{ art.note.${key} }}{{ art.items.${key} }}{{ chatHistory[0].${key}.${key} }}{{ art.items | map: "${key}" | compact | join }}]`;
    expect(textOf(template)).toBe("[]");
  });

  it("leaves its values and the prototypes as they were", () => {
    const art = { n: 1, list: [1, 2] };
    const before = JSON.stringify(art);
    expect(
      textOf(
        "{% increment n %}{% assign __proto__ = 5 %}{% assign list = art.list | reverse %}{{ list }}",
        { art },
      ),
    ).toBe("0[2,1]");
    expect(JSON.stringify(art)).toBe(before);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
    expect(textOf("{{ art.n }}", { art })).toBe("1");
  });

  it("names no values and masks secrets in its messages", () => {
    const key = `sk-proj-${"a1B2".repeat(10)}`;
    const message = textOf(`{% if "${key}" %}`);
    expect(message).toMatch(/^! template_render_error/);
    expect(message).not.toContain(key);
    expect(message.length).toBeLessThan(700);
  });

  it("never throws and never writes more than allowed, whatever the template is made of", () => {
    const small = createTemplateRenderer({
      limits: { maxOutputChars: 200, maxWork: 5_000, maxRenderMs: 200 },
    });
    const piece = fc.constantFrom(
      "{{ art.a }}",
      "{{ art.a | append: art.a | upcase }}",
      "{% for i in (1..50) %}",
      "{% endfor %}",
      "{% if art.a %}",
      "{% endif %}",
      "{{ i }}",
      "{% assign x = art.l | concat: art.l %}",
      "{{ x | json }}",
      "{% capture a %}",
      "{% endcapture %}",
      "{{ a }}",
      "{%",
      "}}",
      "{{",
      "{{ chatHistory | compact }}",
      "{{ art.l | sort | join: art.a }}",
      "{% break %}",
      "{% cycle 'a', 'b' %}",
      "{{ art.l | slice: -3, 9 }}",
      "text",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.jsonValue(), (pieces, value) => {
        const result = small.render(pieces.join(""), {
          art: { a: value, l: [value, 1, "z"] },
          chatHistory,
        });
        if (result.ok) return result.value.length <= 200;
        return result.issues.every(({ code }) => code === "template_render_error");
      }),
    );
  });

  it.each([
    ["loops in loops", "{% for a in (1..900) %}{% for b in (1..900) %}{% endfor %}{% endfor %}"],
    [
      "tags in a loop",
      "{% for a in (1..90000) %}{% if a %}{% else %}{% endif %}{% assign b = a %}{% endfor %}",
    ],
    [
      "sorting again and again",
      "{% for a in (1..500) %}{% assign b = art.list | sort %}{% endfor %}",
    ],
  ])("ends %s by the work, long before the time is up", (_name, template) => {
    const patient = createTemplateRenderer({ limits: { maxRenderMs: 600_000 } });
    const list = Array.from({ length: 20_000 }, (_, index) => `item ${(index * 7_919) % 20_011}`);
    const result = patient.render(template, { art: { list } });
    expect(result).toMatchObject({
      ok: false,
      issues: [{ message: expect.stringContaining("memory alloc limit") }],
    });
  });

  it("lets an honest template loop over a long history", () => {
    const patient = createTemplateRenderer({ limits: { maxRenderMs: 600_000 } });
    const history = Array.from({ length: 10_000 }, (_, at) => ({
      id: `m${at}`,
      role: "user" as const,
      content: "Hi",
    }));
    const template =
      "{% for m in chatHistory %}{% if m.role == 'user' %}{{ m.content | upcase }} {% endif %}{% endfor %}";
    expect(patient.render(template, { chatHistory: history })).toMatchObject({
      ok: true,
      value: "HI ".repeat(10_000),
    });
  });

  it("prints every text value as it is", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(textOf("{{ art.t }}", { art: { t: text } })).toBe(text);
      }),
    );
  });

  it("prints values however deep they are nested, and never overflows on them", () => {
    const nested = (): unknown => {
      let value: unknown = 1;
      for (let depth = 0; depth < 50_000; depth += 1) value = [value];
      return value;
    };
    const art = { deep: nested(), twin: nested() };
    expect(textOf("{{ art.deep | json }}", { art })).toHaveLength(100_001);
    // It is about the depth: a busy machine may need longer than a render has.
    const patient = createTemplateRenderer({ limits: { maxRenderMs: 600_000 } });
    expect(patient.render("{{ art.deep | join | size }}", { art })).toMatchObject({
      ok: true,
      value: "99999",
    });
    const compared = renderer.render("{% if art.deep == art.twin %}{% endif %}", { art });
    expect(compared.ok || compared.issues[0]?.code === "template_render_error").toBe(true);
  });

  it("checks a template without rendering it", () => {
    expect(renderer.check("{{ art.x }}").ok).toBe(true);
    expect(renderer.check("{% if %}").ok).toBe(false);
  });
});

it("charges for a pattern that is slow to look for before the search", () => {
  const value = "a".repeat(2_000_000);
  const pattern = `${"a".repeat(511)}b${"a".repeat(512)}`;
  const { render } = createTemplateRenderer({ limits: { maxRenderMs: 60_000 } });
  for (const template of [
    "{% if value contains art.p %}1{% endif %}",
    "{{ value | replace: art.p }}",
  ])
    expect(render(template, { value, art: { p: pattern } }).ok).toBe(false);
  expect(render("{{ value | replace: 'b', 'c' | size }}", { value }).ok).toBe(true);
});
