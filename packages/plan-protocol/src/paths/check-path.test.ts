import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkPath, type CheckPathOptions } from "./check-path.ts";

function codesOf(given: string, options?: CheckPathOptions): string[] {
  const checked = checkPath(given, options);
  return checked.ok ? [] : checked.issues.map((issue) => issue.code);
}

const legal = [
  ["a plain path", "src/main.rs"],
  ["a catch-all route", "app/blog/[...slug]/page.tsx"],
  ["an optional catch-all route", "app/[[...slug]]/page.tsx"],
  ["a group and a slot", "app/(group)/@modal/page.tsx"],
  ["an intercepting route", "app/(..)photo/page.tsx"],
  ["a parameter", "routes/$id.tsx"],
  ["a route with a plus", "src/routes/+page.svelte"],
  ["an escaped underscore", "app/%5Fprivate/page.tsx"],
  ["Cyrillic", "docs/Руководство.md"],
  ["Chinese with its own punctuation", "文档/说明：第一章？.md"],
  ["accents in either form", "docs/re\u0301sume\u0301.md"],
  ["Devanagari", "docs/हिन्दी.md"],
  ["an emoji", "docs/\u2764\ufe0f.md"],
  ["spaces inside and at the front", " a b.md"],
  ["dots that are no traversal", "..test/a..b"],
  ["names that are almost those of devices", "com0.c"],
  ["names that begin like those of devices", "console/nullable/lptN"],
  ["a backup", "src/a.ts~"],
  ["a percent sign", "docs/100%.md"],
  ["names that are almost protected", ".github/workflows/ci.yml"],
  ["an example of an environment", ".env.example"],
  ["a file about secrets", "src/secrets.ts"],
  ["a file about keys", "src/key.ts"],
  ["names that contain protected ones", "docs/.gitignore"],
  ["a semicolon and an apostrophe", "docs/what's; new.md"],
] as const;

const hostile = [
  ["nothing", ""],
  ["an absolute path", "/etc/passwd"],
  ["a share", "//server/share"],
  ["a drive", "C:/Windows"],
  ["a drive's current folder", "c:a"],
  ["backslashes", "..\\a"],
  ["a device namespace", "\\\\?\\C:\\a"],
  ["a parent", "../a"],
  ["a parent inside", "a/../../b"],
  ["a dot segment", "a/./b"],
  ["a leading dot segment", "./a"],
  ["an empty segment", "a//b"],
  ["a slash at the end of a file", "a/"],
  ["a home folder", "~/a"],
  ["another's home folder", "~root/a"],
  ["a tilde segment", "a/~/b"],
  ["a device", "src/aux"],
  ["a device with an extension", "nul.tar.gz"],
  ["a device with spaces before its extension", "abc/conOut$  .xyz/test"],
  ["a device with a superscript digit", "com\u00b9"],
  ["a fullwidth device", "\uff23\uff2f\uff2e"],
  ["a stream", "a.txt::$DATA"],
  ["a named stream", "a/b.txt:evil.exe"],
  ["a short name", "PROGRA~1/a"],
  ["a hashed short name", "GI7EBA~1"],
  ["a short name of digits alone", "~1000000"],
  ["a dot at the end", "a./b"],
  ["a space at the end", "a /b"],
  ["a no-break space at the end", "a\u00a0"],
  ["wildcards", "src/*.ts"],
  ["a redirection", "a>b"],
  ["a NUL", "a\0b"],
  ["a line break", "a\nb"],
  ["a C1 control", "a\u0085b"],
  ["a bidi override", "a\u202eb.ts"],
  ["a bidi isolate", "a\u2066b.ts"],
  ["a zero-width space", "a\u200bb"],
  ["a byte order mark", "\ufeffa"],
  ["a soft hyphen", "a\u00adb"],
  ["a Hangul filler", "a\u3164"],
  ["a tag character", "a\u{e0041}b"],
  ["a variation selector on a letter", "a\ufe0fb"],
  ["a line separator", "a\u2028b"],
  ["half of a surrogate pair", "a\ud800b"],
  ["a noncharacter", "a\uffffb"],
  ["a private character that some systems read as a colon", "a\uf03ab"],
  ["a fullwidth slash", "..\uff0fa"],
  ["a division slash", "a\u2215b"],
  ["a fullwidth backslash", "\uff3ca"],
  ["fullwidth dots", "\uff0e\uff0e/a"],
  ["a two-dot leader", "\u2025/a"],
  ["encoded dots", "%2e%2e/a"],
  ["encoded slashes", "..%2fa"],
  ["dots encoded twice", "%252e%252e%252fa"],
  ["overlong encoded dots", "%c0%ae%c0%ae/a"],
  ["an encoded NUL", "a%00.png"],
  ["an encoded protected name", "%2egit/config"],
  ["a wide percent encoding", "..%u2215a"],
] as const;

const protectedPaths = [
  [".git/config"],
  [".GIT/hooks/pre-commit"],
  ["sub/.git"],
  [".env"],
  [".ENV.local"],
  ["a/.env.production"],
  ["config/prod.PEM"],
  ["store.p12"],
  ["server.key"],
  ["id_rsa.pub"],
  ["keys/id_ed25519"],
  ["a/secrets/b.txt"],
  ["Secrets"],
  ["node_modules/x/index.js"],
  ["__pycache__/a.pyc"],
  [".ccl/project.json"],
  [".claude/settings.json"],
  [".cursor/mcp.json"],
  [".vscode/tasks.json"],
  [".mcp.json"],
  ["x.code-workspace"],
] as const;

const disguised = [
  ["an ignorable character", ".g\u200cit/config"],
  ["a dotless i", ".g\u0131t/config"],
  ["fullwidth letters", ".\uff47it/config"],
  ["a long s", "\u017fecrets/a"],
  ["a dot and spaces at the end", ".git . ./config"],
  ["a stream", ".git::$INDEX_ALLOCATION/config"],
  ["a short name", "git~1/config"],
  ["a ligature and case", ".EN\u200bV"],
] as const;

describe("checkPath", () => {
  it.each(legal)("accepts %s", (_name, given) => {
    expect(checkPath(given)).toEqual({ ok: true, value: given });
  });

  it.each(hostile)("refuses %s", (_name, given) => {
    expect(codesOf(given)).toContain("ERR_INVALID_PATH");
  });

  it.each(protectedPaths)("protects %s", (given) => {
    expect(codesOf(given)).toEqual(["PROTECTED_PATH"]);
    expect(codesOf(given, { use: "read" })).toEqual(["PROTECTED_PATH"]);
  });

  it.each(disguised)("protects a name behind %s", (_name, given) => {
    expect(codesOf(given)).toContain("PROTECTED_PATH");
  });

  it("counts length in code units and segments in bytes", () => {
    const long = `${"a".repeat(200)}/${"b".repeat(39)}`;
    expect(codesOf(long)).toEqual([]);
    expect(codesOf(`${long}b`)).toEqual(["ERR_PATH_TOO_LONG"]);
    expect(codesOf("\u4e2d".repeat(85))).toEqual([]);
    expect(codesOf("\u4e2d".repeat(86))).toEqual(["ERR_INVALID_PATH"]);
    expect(codesOf("a/".repeat(1_000_000))).toEqual(["ERR_PATH_TOO_LONG"]);
  });

  it("refuses a leading dot segment", () => {
    expect(codesOf("./src/a.ts")).toEqual(["ERR_INVALID_PATH"]);
  });

  it("takes the slash off the end of a folder", () => {
    expect(checkPath("src/parts/", { use: "folder" })).toEqual({ ok: true, value: "src/parts" });
    expect(codesOf("src//", { use: "folder" })).toEqual(["ERR_INVALID_PATH"]);
    expect(codesOf("/", { use: "folder" })).toEqual(["ERR_INVALID_PATH"]);
  });

  it("escapes what could steer a terminal in its messages", () => {
    const checked = checkPath("a\u001b[2J\u202e".repeat(100));
    expect(checked.ok ? [] : checked.issues.map((issue) => issue.message)).toMatchInlineSnapshot(`
      [
        "The path "a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b..." has more than 240 characters.",
        "The path "a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b[2J\\u{202e}a\\u001b..." has a segment of more than 255 bytes. Give a path relative to the root, like "src/a.ts".",
      ]
    `);
  });

  const ascii = ".. . ~ / \\ : C: a b.ts nul %2e %2f %5c %c0%af ~1 git .git ? //".split(" ");
  const others = [
    "",
    " ",
    "\0",
    "\u200b",
    "\uff0f",
    "\uff0e",
    "\u2025",
    "\ud83d",
    "\u00e9",
    "e\u0301",
    "\u76ee",
  ];
  const pieces = fc.constantFrom(...ascii, ...others);
  const paths = fc.oneof(
    fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join("")),
    fc.string({ unit: "binary" }),
  );

  it("accepts only paths that stay below any root, under posix and Windows rules, decoded or normalised", () => {
    fc.assert(
      fc.property(paths, (given) => {
        const checked = checkPath(given);
        fc.pre(checked.ok);
        for (const form of [
          given,
          given.normalize("NFKC"),
          given.normalize("NFD"),
          tryDecode(given),
        ]) {
          for (const [rules, root] of [
            [path.posix, "/root/project"],
            [path.win32, "C:\\root\\project"],
          ] as const) {
            const resolved = rules.resolve(root, form);
            expect(resolved.startsWith(root + rules.sep)).toBe(true);
            expect(rules.relative(root, resolved).split(rules.sep)).toEqual(form.split("/"));
          }
        }
      }),
    );
  });

  it("gives the same answer for what it accepted", () => {
    fc.assert(
      fc.property(paths, (given) => {
        const checked = checkPath(given, { use: "folder" });
        fc.pre(checked.ok);
        expect(checked.ok && checkPath(checked.value).ok).toBe(true);
      }),
    );
  });
});

function tryDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
