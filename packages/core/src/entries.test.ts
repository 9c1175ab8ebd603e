import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { describe, expect, it, vi } from "vitest";
import type { BpeCounterError } from "./bpe/index.ts";
import type { CanonicalJsonErrorCode } from "./canonical/canonical-json-error.ts";
import { CclError } from "./ccl-error.ts";
import type { LanguageModelErrorCode } from "./models/language-model-error.ts";
import type { NodeIoError } from "./node/index.ts";
import type { TokenBudgetErrorCode } from "./tokens/token-budget-error.ts";

const entries: Record<string, () => Promise<Record<string, unknown>>> = {
  ".": () => import("./index.ts"),
  "./async": () => import("./async/index.ts"),
  "./bpe": () => import("./bpe/index.ts"),
  "./delimited": () => import("./delimited/index.ts"),
  "./events": () => import("./events/index.ts"),
  "./hash": () => import("./hash/index.ts"),
  "./http": () => import("./http/index.ts"),
  "./json": () => import("./json/index.ts"),
  "./node": () => import("./node/index.ts"),
  "./testing": () => import("./testing/index.ts"),
  "./testing/node": () => import("./testing/node/index.ts"),
};

/** The compiler checks each list against the union that documents it. */
function listed<Code extends string>(codes: Record<Code, "documented">): string[] {
  return Object.keys(codes);
}
const documented = "documented";
const codesOf: Record<string, string[]> = {
  CanonicalJsonError: listed<CanonicalJsonErrorCode>({
    unsupported_type: documented,
    non_finite_number: documented,
    lone_surrogate: documented,
    cycle: documented,
    too_deep: documented,
  }),
  LanguageModelError: listed<LanguageModelErrorCode>({
    timeout: documented,
    rate_limited: documented,
    aborted: documented,
    authentication: documented,
    invalid_request: documented,
    unsupported_response_format: documented,
    context_length_exceeded: documented,
    content_filtered: documented,
    provider_error: documented,
    network_error: documented,
  }),
  TokenBudgetError: listed<TokenBudgetErrorCode>({
    budget_exceeded: documented,
    invalid_budget: documented,
  }),
  BpeCounterError: listed<BpeCounterError["code"]>({
    invalid_vocabulary: documented,
    tokenizer_missing: documented,
    unknown_encoding: documented,
  }),
  NodeIoError: listed<NodeIoError["code"]>({
    read_failed: documented,
    write_failed: documented,
    root_unusable: documented,
    locked: documented,
    aborted: documented,
  }),
};

type ErrorClass = typeof CclError;

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === "function" && value.prototype instanceof Error;
}

async function errorClasses(): Promise<[entry: string, name: string, type: ErrorClass][]> {
  const found: [string, string, ErrorClass][] = [];
  for (const [entry, load] of Object.entries(entries)) {
    for (const [name, value] of Object.entries(await load())) {
      if (isErrorClass(value) && name !== "CclError") found.push([entry, name, value]);
    }
  }
  return found;
}

describe("every error class of every entry", () => {
  it("exists, has a documented list of codes, and has its own brand", async () => {
    const classes = await errorClasses();
    expect(classes.map(([entry]) => entry)).toEqual(
      expect.arrayContaining([".", "./bpe", "./node"]),
    );
    for (const [, name, type] of classes) {
      expect(Object.keys(codesOf)).toContain(name);
      expect(Object.hasOwn(type, "brand") && type.brand).toBe(name);
    }
  });

  it("recognises its errors and those of a second copy of the package, but no others", async () => {
    const classes = await errorClasses();
    vi.resetModules();
    const copies = await errorClasses();
    for (const [index, [, name, type]] of classes.entries()) {
      const copy = copies[index]?.[2];
      const [code = ""] = codesOf[name] ?? [];
      if (copy === undefined || copy === type) throw new Error(`${name} has no second copy.`);
      const error: unknown = new copy(code, "x");
      expect(error instanceof type).toBe(false);
      expect(type.isInstance(error)).toBe(true);
      expect(CclError.isInstance(error)).toBe(true);
      expect(type.isInstance(new CclError(code, "x"))).toBe(false);
      expect(type.isInstance(new Error("x"))).toBe(false);
    }
  });
});

describe("the built entries for any platform", () => {
  const dist = new URL("../dist/", import.meta.url);

  /**
   * Lists every module that a built file imports, through the chunks that it shares with others.
   */
  function importsOf(file: URL, seen: Set<string>): string[] {
    if (seen.has(file.href)) return [];
    seen.add(file.href);
    if (!existsSync(file)) throw new Error(`${file.pathname} is missing: run the build first.`);
    const found = readFileSync(file, "utf8").matchAll(
      /(?:\bfrom|\bimport)\s*\(?\s*["']([^"'\n]+)["']/g,
    );
    return [...found].flatMap(([, specifier = ""]) =>
      specifier.startsWith(".") ? importsOf(new URL(specifier, file), seen) : [specifier],
    );
  }

  const neutral = Object.keys(entries).filter((entry) => !entry.endsWith("/node"));
  it.each(neutral)("%s imports nothing of Node", (entry) => {
    const imports = importsOf(new URL(`${entry}/index.js`, dist), new Set());
    const isOfNode = (specifier: string): boolean =>
      specifier.startsWith("node:") || builtinModules.includes(specifier);
    expect(imports.filter(isOfNode)).toEqual([]);
  });

  it("would detect node:fs, which the entry for Node imports", () => {
    expect(importsOf(new URL("node/index.js", dist), new Set())).toContainEqual(
      expect.stringMatching(/^(?:node:)?fs\/promises$/),
    );
  });
});

it("runs the program of the README", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, program = ""] = /```ts\n(.*?)```/s.exec(readme) ?? [];
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: new URL("..", import.meta.url),
    encoding: "utf8",
  });
  expect(output.trim().split("\n")).toEqual([
    '[{"kind":"secret_value","start":26,"end":47}]',
    expect.stringMatching(/^\d{4,} -> \d{1,3} tokens$/),
    "43258cff",
  ]);
});
