import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { isAtLeast } from "./scripts/lengths/test-length.mjs";

const conditions = ["@ccl/source"];
const exclude = [...configDefaults.exclude, ...(isAtLeast("ci") ? [] : ["**/*.ci.test.ts"])];

// Packages whose test files share a process, since to start one and load the package takes longer than most of their files.
// What replaces modules or timers or starts processes has one of its own: a large process starts others slowly.
const packagesInOneProcess = [
  "aliases",
  "catalog",
  "compress",
  "context-compiler",
  "core",
  "operations",
  "query",
  "search",
  "sql",
  "structured-output",
];
const needsItsOwn =
  /\bvi\.(?:mock|doMock|resetModules|useFakeTimers)\(|process\.chdir\(|"node:(?:child_process|v8)"|-process/;
const filesInOneProcess = packagesInOneProcess
  .flatMap(testFiles)
  .filter((file) => !needsItsOwn.test(readFileSync(file, "utf8")));

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: ["scripts/services/temporary-folder.mjs"],
    setupFiles: ["scripts/vitest-setup.ts"],
    // Much of the time goes into waiting for disks and servers, so that every core takes a file.
    maxWorkers: "100%",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "a process each",
          include: ["packages/*/src/**/*.test.ts", "scripts/**/*.test.mjs"],
          exclude: [...exclude, ...filesInOneProcess],
        },
      },
      {
        extends: true,
        test: {
          name: "one process",
          isolate: false,
          include: filesInOneProcess,
          exclude,
          // Without a limit, V8 lets garbage grow to 900 MB in each worker. Longer lengths have larger inputs.
          execArgv: isAtLeast("ci") ? [] : ["--max-old-space-size=512"],
        },
      },
    ],
  },
});

function testFiles(name: string): string[] {
  const source = join("packages", name, "src");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(".test.ts")).map((file) => join(source, file));
}
