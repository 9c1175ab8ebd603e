import { describe, expect, it } from "vitest";
import { autoCollectRequests } from "./auto-collect-requests.ts";

function collect(report: string, root?: string): string[] {
  return autoCollectRequests({
    goal: "fix it",
    report,
    root,
  }).map((request) =>
    request.type === "read_file"
      ? `${request.path}${request.start_line === undefined ? "" : `:${request.start_line}-${request.end_line}`}`
      : request.type,
  );
}

describe("autoCollectRequests", () => {
  it.each([
    [
      "Python",
      'Traceback (most recent call last):\n  File "/w/app/main.py", line 300, in <module>\n    run()\n  File "/w/app/run.py", line 10, in run\n  File "/usr/lib/python3.11/json/__init__.py", line 3, in x\nValueError: x',
      ["app/run.py:1-90", "app/main.py:220-380"],
    ],
    ["pytest", "tests/test_a.py:12: AssertionError", ["tests/test_a.py:1-92"]],
    [
      "Node",
      "TypeError: x\n    at f (/w/src/a.js:100:5)\n    at async Object.g (file:///w/src/b.mjs:200:1)\n    at node:internal/main:1:1\n    at h (/w/node_modules/x/i.js:1:1)",
      ["src/a.js:20-180", "src/b.mjs:120-280"],
    ],
    [
      "tsc",
      "src/a.ts(90,3): error TS2304: Cannot find name 'x'.\nsrc/b.ts:5:1 - error TS1",
      ["src/a.ts:10-170", "src/b.ts:1-85"],
    ],
    [
      "Go",
      "goroutine 1 [running]:\nmain.main()\n\t/w/cmd/main.go:100 +0x1d",
      ["cmd/main.go:20-180"],
    ],
    ["Rust", "error[E0308]: mismatched types\n  --> src/main.rs:81:5", ["src/main.rs:1-161"]],
    ["a Rust panic", "thread 'main' panicked at src/lib.rs:200:9:", ["src/lib.rs:120-280"]],
    [
      "TAP of Node's runner, which writes the place into YAML",
      "not ok 1 - adds\n  ---\n  duration_ms: 1.2\n  location: '/w/test/sum.test.mjs:100:1'\n  failureType: 'testCodeFailure'\n  stack: |-\n    TestContext.<anonymous> (file:///w/test/sum.test.mjs:101:10)\n  ...",
      ["test/sum.test.mjs:20-180"],
    ],
    [
      "TAP of node-tap",
      "not ok 2 - x\n  ---\n  at:\n    file: lib/a.cjs\n    line: 200\n  ...",
      ["lib/a.cjs:120-280"],
    ],
    [
      "Java",
      "\tat com.example.App.main(App.java:82)",
      ["src/main/java/com/example/App.java:2-162"],
    ],
  ])("reads the lines that a trace of %s names", (_name, report, expected) => {
    expect(collect(report, "/w")).toEqual(expected);
  });

  it("joins ranges of one file that touch", () => {
    expect(collect("a.py:100: x\na.py:200: y\na.py:900: z\n")).toEqual([
      "a.py:20-280",
      "a.py:820-980",
    ]);
  });

  it.each([
    [
      "ModuleNotFoundError: No module named 'x'",
      ["env", "pyproject.toml", "requirements.txt", "poetry.lock"],
    ],
    [
      "Error: Cannot find module 'x'",
      ["env", "package.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock"],
    ],
    ["no required module provides package x", ["env", "go.mod", "go.sum"]],
    ["error[E0432]: unresolved import `x`", ["env", "Cargo.toml", "Cargo.lock"]],
    ["error: package com.x does not exist", ["env", "pom.xml", "build.gradle"]],
  ])("adds the environment and the manifests for %j", (report, expected) => {
    expect(collect(report)).toEqual(expected);
  });

  it("leaves out what is outside, protected or of others", () => {
    const report =
      'File "/etc/x.py", line 1\nFile "../x.py", line 1\n.git/x.py:3: y\nat f (node_modules/x/i.js:1:1)';
    expect(collect(report, "/w")).toEqual([]);
    expect(collect("nothing to see at 12:30:45")).toEqual([]);
  });

  it.each([
    "a".repeat(1_000_000),
    "a/".repeat(500_000),
    "at ".repeat(300_000),
    'File "'.repeat(200_000),
    "at a(".repeat(200_000),
  ])("is linear on long reports", (report) => {
    expect(collect(report)).toEqual([]);
  });
});
