import type { ContentKind } from "../kinds/identify.ts";

/** Unmodified output of a tool. It contains a fact that the reader needs, in the middle. */
export interface KindSample {
  name: string;
  kind: ContentKind;
  text: string;
  query?: string;
  /** Facts that the compressed text must show. */
  facts: readonly string[];
}

const many = (count: number, write: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => write(at));
const around = (count: number, write: (at: number) => string, middle: readonly string[]): string => {
  const lines = many(count, write);
  lines.splice(Math.floor(count * 0.55), 0, ...middle);
  return lines.join("\n");
};
const words = ["alpha", "bravo", "delta", "gamma", "kappa", "sigma", "theta", "omega"];
const word = (at: number): string => words[(at * 5 + (at >> 3)) % words.length] ?? "";

/** One sample for each kind of output. */
export const kindSamples: readonly KindSample[] = [
  {
    name: "vitest",
    kind: "tests",
    text: [
      " RUN  v3.2.4 /srv/app",
      "",
      ...many(120, (at) => ` ✓ src/${word(at)}/${word(at + 1)}-${at}.test.ts (${(at % 9) + 2} tests) ${at % 40}ms`),
      " ❯ src/cart/totals.test.ts (4 tests | 1 failed) 12ms",
      "   × totals > rounds half to even 4ms",
      "     → expected 2.35 to be 2.34 // Object.is equality",
      ...many(120, (at) => ` ✓ src/${word(at)}/${word(at + 2)}-${at + 200}.test.ts (${(at % 9) + 2} tests) ${at % 40}ms`),
      "",
      " Test Files  1 failed | 240 passed (241)",
      "      Tests  1 failed | 1403 passed (1404)",
    ].join("\n"),
    facts: ["rounds half to even", "expected 2.35 to be 2.34"],
  },
  {
    name: "jest",
    kind: "tests",
    text: [
      ...many(120, (at) => `PASS src/${word(at)}/${word(at + 1)}${at}.test.js`),
      "FAIL src/session/renew.test.js",
      "  ● renew › keeps the tenant of the token",
      "",
      "    expect(received).toBe(expected) // Object.is equality",
      "",
      '    Expected: "acme"',
      "    Received: undefined",
      "",
      "      at Object.toBe (src/session/renew.test.js:41:27)",
      ...many(120, (at) => `PASS src/${word(at)}/${word(at + 3)}${at + 300}.test.js`),
      "",
      "Tests:       1 failed, 811 passed, 812 total",
    ].join("\n"),
    facts: ["keeps the tenant of the token", "Received: undefined", "renew.test.js:41"],
  },
  {
    name: "pytest",
    kind: "tests",
    text: [
      "============================= test session starts ==============================",
      "platform linux -- Python 3.12.3, pytest-8.3.2, pluggy-1.5.0",
      ...many(140, (at) => `tests/test_${word(at)}_${at}.py ${".".repeat(10 + (at % 20))} [ ${at % 100}%]`),
      "=================================== FAILURES ===================================",
      "_____________________________ test_expired_voucher _____________________________",
      "",
      "    def test_expired_voucher():",
      ">       assert redeem('SPRING', on=date(2024, 5, 1)) is None",
      "E       AssertionError: assert Decimal('5.00') is None",
      "",
      "tests/test_voucher.py:88: AssertionError",
      "=============================== warnings summary ===============================",
      ...many(140, (at) => `tests/test_${word(at)}_${at}.py::test_${word(at + 1)}: DeprecationWarning: utcnow() is deprecated`),
      "=========================== short test summary info ============================",
      "==================== 1 failed, 2210 passed, 140 warnings in 31.2s ===============",
    ].join("\n"),
    facts: ["test_expired_voucher", "assert Decimal('5.00') is None", "test_voucher.py:88"],
  },
  {
    name: "go test",
    kind: "tests",
    text: around(
      300,
      (at) => (at % 2 === 0 ? `=== RUN   Test${word(at)}${at}` : `--- PASS: Test${word(at - 1)}${at - 1} (0.0${at % 9}s)`),
      [
        "=== RUN   TestLeaseRenewal",
        "    lease_test.go:73: got epoch 6, want 7",
        "--- FAIL: TestLeaseRenewal (0.41s)",
      ],
    ),
    facts: ["TestLeaseRenewal", "lease_test.go:73: got epoch 6, want 7"],
  },
  {
    name: "cargo test",
    kind: "tests",
    text: [
      "   Compiling ledger v0.4.1 (/srv/ledger)",
      "running 241 tests",
      ...many(120, (at) => `test ${word(at)}::tests::${word(at + 1)}_${at} ... ok`),
      "test posting::tests::reverses_twice ... FAILED",
      ...many(120, (at) => `test ${word(at)}::tests::${word(at + 2)}_${at + 200} ... ok`),
      "",
      "failures:",
      "",
      "---- posting::tests::reverses_twice stdout ----",
      "thread 'posting::tests::reverses_twice' panicked at src/posting.rs:118:9:",
      "assertion `left == right` failed",
      "  left: -1900",
      " right: 0",
      ...many(60, (at) => `note: ${word(at)} ${at} took ${at % 9} ms`),
      "test result: FAILED. 240 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out",
    ].join("\n"),
    facts: ["reverses_twice", "src/posting.rs:118:9", "left: -1900"],
  },
  {
    name: "JUnit",
    kind: "tests",
    text: [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites tests="241" failures="1">',
      '<testsuite name="api" tests="241" failures="1" time="12.1">',
      ...many(130, (at) => `<testcase classname="api.${word(at)}" name="${word(at + 1)} ${at}" time="0.0${at % 9}"/>`),
      '<testcase classname="api.Orders" name="cancel after shipping" time="0.21">',
      '<failure message="expected 409 but was 200" type="AssertionError">',
      "at OrdersTest.cancelAfterShipping(OrdersTest.java:203)",
      "</failure>",
      "</testcase>",
      ...many(130, (at) => `<testcase classname="api.${word(at)}" name="${word(at + 3)} ${at + 200}" time="0.0${at % 9}"/>`),
      "</testsuite>",
      "</testsuites>",
    ].join("\n"),
    facts: ["cancel after shipping", "expected 409 but was 200", "OrdersTest.java:203"],
  },
  {
    name: "TAP",
    kind: "tests",
    text: [
      "TAP version 13",
      "1..241",
      ...many(130, (at) => `ok ${at + 1} - ${word(at)} ${word(at + 1)} ${at}`),
      "not ok 131 - parses a quoted separator",
      "  ---",
      "  operator: equal",
      "  expected: 3",
      "  actual:   4",
      "  at: Test.<anonymous> (test/parse.js:57:9)",
      "  ...",
      ...many(110, (at) => `ok ${at + 132} - ${word(at)} ${word(at + 2)} ${at}`),
      "# tests 241",
      "# fail  1",
    ].join("\n"),
    facts: ["not ok 131 - parses a quoted separator", "actual:   4"],
  },
  {
    name: "tsc",
    kind: "build",
    text: around(
      150,
      (at) => `src/${word(at)}/${word(at + 1)}${at}.ts(${at + 3},${at % 40}): error TS6133: '${word(at)}${at}' is declared but its value is never read.`,
      ["src/pay/charge.ts(52,11): error TS2345: Argument of type 'bigint' is not assignable to parameter of type 'number'."],
    ),
    facts: ["src/pay/charge.ts(52,11)", "Argument of type 'bigint'"],
  },
  {
    name: "eslint",
    kind: "build",
    text: [
      ...many(60, (at) =>
        [
          `/srv/app/src/${word(at)}/${word(at + 1)}${at}.js`,
          `  ${at + 2}:5   warning  Unexpected console statement  no-console`,
          `  ${at + 9}:12  warning  Missing semicolon             semi`,
          "",
        ].join("\n"),
      ),
      "/srv/app/src/auth/token.js",
      "  31:9  error  Async method 'renew' has no 'await' expression  require-await",
      "",
      ...many(60, (at) =>
        [
          `/srv/app/src/${word(at)}/${word(at + 3)}${at + 99}.js`,
          `  ${at + 2}:5   warning  Unexpected console statement  no-console`,
          "",
        ].join("\n"),
      ),
      "✖ 181 problems (1 error, 180 warnings)",
    ].join("\n"),
    facts: ["src/auth/token.js", "31:9  error  Async method 'renew'"],
  },
  {
    name: "rustc",
    kind: "build",
    text: [
      ...many(50, (at) =>
        [
          `warning: unused variable: \`${word(at)}${at}\``,
          `  --> src/${word(at)}.rs:${at * 7 + 3}:9`,
          "   |",
          `${at * 7 + 3} |     let ${word(at)}${at} = 1;`,
          "   |         ^^^^^^ help: if this is intentional, prefix it with an underscore",
          "",
        ].join("\n"),
      ),
      "error[E0502]: cannot borrow `ledger` as mutable because it is also borrowed as immutable",
      "  --> src/posting.rs:88:5",
      "   |",
      "87 |     let open = ledger.open();",
      "   |                ------ immutable borrow occurs here",
      ...many(50, (at) =>
        [
          "",
          `warning: unused import: \`std::${word(at)}\``,
          `  --> src/${word(at + 1)}.rs:${at + 1}:5`,
        ].join("\n"),
      ),
      "error: could not compile `ledger` (lib) due to 1 previous error; 100 warnings emitted",
    ].join("\n"),
    facts: ["error[E0502]: cannot borrow `ledger`", "src/posting.rs:88:5"],
  },
  {
    name: "gcc",
    kind: "build",
    text: around(
      200,
      (at) => `src/${word(at)}${at}.c:${at + 10}:${at % 30}: warning: unused parameter '${word(at + 1)}' [-Wunused-parameter]`,
      [
        "src/ring.c: In function 'ring_push':",
        "src/ring.c:77:12: error: 'struct ring' has no member named 'heads'; did you mean 'head'?",
      ],
    ),
    facts: ["src/ring.c:77:12: error: 'struct ring' has no member named 'heads'"],
  },
  {
    name: "mypy",
    kind: "build",
    text: around(
      200,
      (at) => `app/${word(at)}_${at}.py:${at + 4}: note: By default the bodies of untyped functions are not checked`,
      ['app/pricing.py:131: error: Unsupported operand types for * ("Decimal" and "float")  [operator]'],
    ),
    facts: ['app/pricing.py:131: error: Unsupported operand types for * ("Decimal" and "float")'],
  },
  {
    name: "git log",
    kind: "history",
    text: many(90, (at) =>
      [
        `commit ${((at + 1) * 2654435761).toString(16).padStart(10, "0").repeat(4).slice(0, 40)}`,
        `Author: ${word(at)} <${word(at)}@example.org>`,
        `Date:   Tue Mar ${(at % 28) + 1} 10:12:00 2026 +0100`,
        "",
        `    ${at === 50 ? "Limit retries of the webhook queue to five" : `Move ${word(at)} beside ${word(at + 1)} (${at})`}`,
        "",
      ].join("\n"),
    ).join("\n"),
    query: "Which commit limited the webhook retries?",
    facts: ["Limit retries of the webhook queue to five", `commit ${(51 * 2654435761).toString(16).padStart(10, "0")}`],
  },
  {
    name: "git status",
    kind: "listing",
    text: [
      "On branch main",
      "Changes not staged for commit:",
      '  (use "git add <file>..." to update what will be committed)',
      ...many(150, (at) => `\tmodified:   src/${word(at)}/${word(at + 1)}-${at}.ts`),
      "\tdeleted:    src/keys/rotate-keys.ts",
      ...many(150, (at) => `\tmodified:   src/${word(at)}/${word(at + 2)}-${at + 300}.ts`),
      "",
      "Untracked files:",
      ...many(20, (at) => `\tnotes/${word(at)}-${at}.md`),
    ].join("\n"),
    facts: ["deleted:    src/keys/rotate-keys.ts"],
  },
  {
    name: "git status --short",
    kind: "listing",
    text: around(300, (at) => ` M src/${word(at)}/${word(at + 1)}-${at}.ts`, ["UU src/keys/rotate-keys.ts"]),
    facts: ["UU src/keys/rotate-keys.ts"],
  },
  {
    name: "ls -R",
    kind: "listing",
    text: many(60, (at) =>
      [
        `./pkg/${word(at)}-${at}:`,
        "index.ts",
        "package.json",
        `${word(at + 1)}.ts`,
        ...(at === 33 ? ["refund-window.ts"] : []),
        "",
      ].join("\n"),
    ).join("\n"),
    query: "Where is the refund window?",
    facts: ["refund-window.ts", "./pkg/bravo-33:"],
  },
  {
    name: "ls -l",
    kind: "listing",
    text: around(
      200,
      (at) => `-rw-r--r-- 1 ci ci ${1200 + ((at * 37) % 400)} Mar  3 10:${10 + (at % 50)} ${word(at)}-${at}.json`,
      ["-rw-r--r-- 1 ci ci 981223423 Mar  3 10:31 core.dump"],
    ),
    facts: ["core.dump"],
  },
  {
    name: "find",
    kind: "listing",
    text: around(400, (at) => `./src/${word(at)}/${word(at + 1)}/${word(at + 2)}-${at}.ts`, ["./deploy/production/secrets.sops.yaml"]),
    query: "Where are the production secrets?",
    facts: ["./deploy/production/secrets.sops.yaml"],
  },
  {
    name: "ripgrep",
    kind: "matches",
    text: around(
      300,
      (at) => `src/${word(at)}/${word(at + 1)}.ts:${at + 1}:  const timeout = options.timeout ?? ${(at % 5) + 1}000;`,
      ["src/queue/webhook.ts:218:  const timeout = Number.POSITIVE_INFINITY; // until the vendor answers"],
    ),
    query: "Which timeout never ends, waiting for the vendor?",
    facts: ["src/queue/webhook.ts:218:", "POSITIVE_INFINITY"],
  },
  {
    name: "ripgrep with headings",
    kind: "matches",
    text: many(60, (at) =>
      [
        at === 33 ? "src/queue/webhook.ts" : `src/${word(at)}/${word(at + 1)}${at}.ts`,
        `${at + 10}:  const timeout = options.timeout ?? ${(at % 5) + 1}000;`,
        `${at + 19}:  setTimeout(resolve, ${at === 33 ? "Infinity" : "timeout"});`,
        "",
      ].join("\n"),
    ).join("\n"),
    query: "Which timeout is Infinity?",
    facts: ["src/queue/webhook.ts", "52:  setTimeout(resolve, Infinity);"],
  },
  {
    name: "a stack trace of Java",
    kind: "log",
    text: around(400, (at) => `2026-03-01 10:00:${10 + (at % 50)} INFO  [worker-${at % 8}] c.a.Poller - polled ${at} items`, [
      "2026-03-01 10:00:31 ERROR [worker-3] c.a.Poller - poll failed",
      "java.lang.IllegalStateException: cursor 88 was closed",
      "\tat com.acme.poll.Cursor.next(Cursor.java:114)",
      ...many(30, (at) => `\tat org.springframework.core.Invoker${at}.invoke(Invoker.java:${at + 60})`),
      "Caused by: java.net.SocketException: Connection reset by 10.2.0.7",
      "\tat java.base/sun.nio.ch.NioSocketImpl.read(NioSocketImpl.java:317)",
    ]),
    facts: ["cursor 88 was closed", "Cursor.java:114", "Caused by: java.net.SocketException: Connection reset by 10.2.0.7"],
  },
  {
    name: "a traceback of Python",
    kind: "log",
    text: [
      ...many(150, (at) => `loading shard ${at} of 300 from the ${word(at)} bucket`),
      "Traceback (most recent call last):",
      '  File "/srv/job/main.py", line 41, in <module>',
      "    run(shards)",
      '  File "/srv/job/merge.py", line 203, in merge',
      "    return left[key]",
      "KeyError: 'tenant_19'",
      ...many(150, (at) => `loading shard ${at + 150} of 300 from the ${word(at)} bucket`),
    ].join("\n"),
    facts: ["KeyError: 'tenant_19'", '"/srv/job/merge.py", line 203'],
  },
  {
    name: "a traceback of Python alone",
    kind: "log",
    text: [
      "Traceback (most recent call last):",
      ...many(40, (at) =>
        [`  File "/srv/${word(at)}/step.py", line ${at * 7}, in run`, "    self.next(path)"].join("\n"),
      ),
      "    raise ImproperlyConfigured(",
      "django.core.exceptions.ImproperlyConfigured: Set TENANT_KEY before.",
      ...many(30, (at) => `  ${word(at)} = ${at}`),
    ].join("\n"),
    facts: ["exceptions.ImproperlyConfigured: Set TENANT_KEY"],
  },
  {
    name: "a stack of Node",
    kind: "log",
    text: [
      ...many(150, (at) => `served /${word(at)}/${at} in ${at % 70} ms`),
      "TypeError: Cannot read properties of undefined (reading 'plan')",
      "    at upgrade (file:///srv/app/src/billing/upgrade.js:66:21)",
      "    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)",
      ...many(150, (at) => `served /${word(at)}/${at + 150} in ${at % 70} ms`),
    ].join("\n"),
    facts: ["Cannot read properties of undefined (reading 'plan')", "src/billing/upgrade.js:66:21"],
  },
  {
    name: "YAML",
    kind: "yaml",
    text: many(40, (at) =>
      [
        "- name: " + (at === 22 ? "billing" : `${word(at)}-${at}`),
        `  image: registry.example.org/${word(at)}:1.${at}`,
        "  resources:",
        "    limits:",
        `      memory: ${at === 22 ? "192Mi" : "512Mi"}`,
        `      cpu: ${at === 22 ? "150m" : "500m"}`,
        "  env:",
        "    - name: LOG_LEVEL",
        "      value: info",
      ].join("\n"),
    ).join("\n"),
    query: "What is the memory limit of billing?",
    facts: ["name: billing", "memory: 192Mi"],
  },
  {
    name: "JSON",
    kind: "json",
    text: JSON.stringify({
      page: 1,
      items: many(200, (at) => `${at}`).map((at) => ({
        id: `sub_${1000 + Number(at)}`,
        state: at === "120" ? "past_due" : "active",
        seats: (Number(at) * 7) % 23,
      })),
    }),
    facts: ["sub_1120", "past_due"],
  },
  {
    name: "JSON by lines",
    kind: "json",
    text: many(300, (at) =>
      JSON.stringify({ at: 1_700_000_000 + at, level: at === 180 ? "fatal" : "info", job: `job-${at}`, msg: at === 180 ? "disk quota exceeded" : "done" }),
    ).join("\n"),
    facts: ["job-180", "disk quota exceeded"],
  },
  {
    name: "CSV",
    kind: "delimited",
    text: [
      "sku,name,stock,price",
      ...many(300, (at) => `SKU-${1000 + at},${word(at)} ${word(at + 1)},${at === 170 ? -40 : 20 + (at % 30)},${10 + (at % 7)}.50`),
    ].join("\n"),
    facts: ["SKU-1170", "-40"],
  },
  {
    name: "a patch",
    kind: "diff",
    text: many(50, (at) =>
      [
        `diff --git a/src/${word(at)}-${at}.ts b/src/${word(at)}-${at}.ts`,
        `--- a/src/${word(at)}-${at}.ts`,
        `+++ b/src/${word(at)}-${at}.ts`,
        `@@ -${at + 4},3 +${at + 4},3 @@ export function ${word(at)}${at}()`,
        "   const options = read();",
        `-  limit(${at});`,
        `+  limit(${at === 31 ? "maxRefund" : at + 1});`,
        "   return options;",
      ].join("\n"),
    ).join("\n"),
    query: "Where is maxRefund used now?",
    facts: [`+++ b/src/${word(31)}-31.ts`.slice(6), "limit(maxRefund)", `function ${word(31)}31()`],
  },
  {
    name: "Markdown",
    kind: "markdown",
    text: many(60, (at) => `## ${word(at)} ${at}\n\nThe ${word(at + 1)} option takes ${at * 3} and is ${at === 33 ? "removed in version 9" : "kept"}.\n`).join("\n"),
    query: "Which option is removed in version 9?",
    facts: [`## ${word(33)} 33`, "removed in version 9"],
  },
  {
    name: "HTML",
    kind: "html",
    text: `<!doctype html><html><head><title>Plans</title><script>var a = ${JSON.stringify(many(400, (at) => `${at}`))};</script></head><body><table>${many(80, (at) => `<tr><td>Plan ${word(at)} ${at}</td><td>EUR ${at + 5}.00</td><td><a href="/plans/${at}">more</a></td></tr>`).join("")}<tr><td>Nonprofit</td><td>EUR 3.10</td></tr>${many(80, (at) => `<tr><td>Plan ${word(at)} ${at + 80}</td><td>EUR ${at + 5}.00</td></tr>`).join("")}</table></body></html>`,
    query: "What does the Nonprofit plan cost?",
    facts: ["Nonprofit", "EUR 3.10"],
  },
  {
    name: "source code",
    kind: "code",
    text: many(60, (at) =>
      [
        `/** Reads the ${word(at)} of a ${word(at + 1)}. */`,
        `export function read${word(at)}${at}(source: Source): number {`,
        `  const held = source.take(${at});`,
        `  if (held === undefined) {`,
        `    return ${at === 33 ? "graceDays * dayMs" : at};`,
        "  }",
        "  return held.value;",
        "}",
        "",
      ].join("\n"),
    ).join("\n"),
    query: "Where is graceDays used?",
    facts: [`export function read${word(33)}33(`, "graceDays * dayMs"],
  },
];
