import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withSyntaxTree, type GrammarName } from "../outline/grammar.ts";
import type { SyntaxNode } from "../outline/syntax-node.ts";
import { stripComments } from "./strip-comments.ts";

/** The tree without its comments: every node's type, every leaf's text. */
function shape(root: SyntaxNode): string {
  const lines: string[] = [];
  const pending: { node: SyntaxNode; depth: number }[] = [{ node: root, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, depth } = next;
    const children = node.children.filter((child) => !child.isComment);
    lines.push(`${depth} ${node.type} ${node.children.length === 0 ? node.text.trim() : ""}`);
    pending.push(...children.map((child) => ({ node: child, depth: depth + 1 })).reverse());
  }
  return lines.join("\n");
}

const shapeOfText = (language: GrammarName, text: string): Promise<string | undefined> =>
  withSyntaxTree(language, text, shape);

const PIECES: Record<string, { language: GrammarName; pieces: string[] }> = {
  "a.ts": {
    language: "typescript",
    pieces: [
      "const a = 1",
      "// note\n",
      "/* one */",
      "/*\n two */",
      'const s = "// no /* no */";',
      "const t = `\n\n  // no  \n${/* in */ 1}\n`;",
      "const r = /\\/\\/ [/*]/g;",
      "a\n++b\n",
      "\n\n   \n",
      "foo(1, /* arg */ 2)\n",
      "const u = 'x\\\n   y'\n",
      "return_ /* x */\n(1)\n",
    ],
  },
  "a.tsx": {
    language: "tsx",
    pieces: [
      "const v = <p>\n\n  text // stays\n {/* gone */}\n</p>;\n",
      "// note\n",
      "const a = 1;\n",
      "\n\n",
    ],
  },
  "a.py": {
    language: "python",
    pieces: [
      'def f(x):\n    """Doc # stays\n\n    more"""\n    # note\n    return x  # why\n\n',
      "x = '# no'\n",
      "# note\n",
      "y = [\n  1,  # one\n\n  2,\n]\n",
      "\n\n",
      "class A:\n\n    # note\n    b = 1\n",
      'z = f"""\n\n{x}  # no\n"""\n',
    ],
  },
  "a.go": {
    language: "go",
    pieces: [
      "package a\n",
      "// note\n",
      "var a = `\n\n// no\n`\n",
      'var b = "// no"\n',
      "func f() { /* x\n */ return }\n",
      "\n\n",
    ],
  },
  "a.rs": {
    language: "rust",
    pieces: [
      "/// Doc.\n",
      "fn f<'a>(x: &'a str) {} // note\n",
      'const A: &str = r#"\n\n// no"#;\n',
      "/* a /* nested */ b */\n",
      'const B: &str = "\n  // no\n";\n',
      "\n\n",
    ],
  },
  "a.java": {
    language: "java",
    pieces: [
      "class A { /** Doc. */ int a; // note\n}\n",
      'class B { String s = "/* no */"; }\n',
      'class C { String t = """\n\n  // no\n  """; }\n',
      "// note\n",
      "\n\n",
    ],
  },
};

describe("stripComments", () => {
  it.each([
    [
      "a.ts",
      "/** Doc. */\nexport const a = 1; // why\n\n\n/* gone */ export const b = 2;   \n",
      "export const a = 1;\n  export const b = 2;",
    ],
    ["a.js", "#!/usr/bin/env node\n// note\nrun();\n", "#!/usr/bin/env node\nrun();"],
    [
      "a.ts",
      "// @ts-expect-error wrong\nf(1);\n/// <reference types='x' />\n",
      "// @ts-expect-error wrong\nf(1);\n/// <reference types='x' />",
    ],
    [
      "a.py",
      "#!/usr/bin/env python\n# note\nx = 1  # type: int\n",
      "#!/usr/bin/env python\nx = 1  # type: int",
    ],
    ["a.go", "//go:build linux\n\n// Package a.\npackage a\n", "//go:build linux\npackage a"],
    ["a.md", "# One\n\n<!-- stays -->\n", "# One\n\n<!-- stays -->\n"],
    ["a.xyz", "// stays\n", "// stays\n"],
  ])("drops what is only a comment in %s: %j", async (path, text, expected) => {
    expect(await stripComments({ path, text })).toBe(expected);
  });

  it("returns a text that is too tangled to parse as it is", async () => {
    const text = `// stays\n${"a: {".repeat(20_000)}`;
    expect(await stripComments({ path: "a.ts", text })).toBe(text);
  });

  it("leaves broken parts of a file alone", async () => {
    const text = "const a = 1; // gone\nconst b = `unclosed // stays\n";
    expect(await stripComments({ path: "a.ts", text })).toContain("// stays");
  });

  it.each(Object.entries(PIECES))(
    "keeps the syntax of %s, strings and docstrings to the letter",
    async (path, { language, pieces }) => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), async (parts) => {
          const text = parts.join("");
          const stripped = await stripComments({ path, text });
          expect(stripped.length).toBeLessThanOrEqual(text.length);
          // The grammar of Go wants a line break at the end.
          expect(await shapeOfText(language, `${stripped}\n`)).toBe(
            await shapeOfText(language, `${text}\n`),
          );
          expect(await stripComments({ path, text: stripped })).toBe(stripped);
        }),
      );
    },
  );
});
