import { configDefaults, defineConfig } from "vitest/config";

const conditions = ["@ccl/source"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "scripts/**/*.test.mjs"],
    exclude: [...configDefaults.exclude],
    globalSetup: ["scripts/services/temporary-folder.mjs"],
    setupFiles: ["scripts/vitest-setup.ts"],
    // Much of the time goes into waiting for disks and servers, so that every core takes a file.
    maxWorkers: "100%",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    typecheck: {
      enabled: true,
      include: ["packages/*/src/**/*.test-d.ts"],
      tsconfig: "tsconfig.type-tests.json",
    },
  },
});
