/** What must always hold: money, access, budgets, paths, schedules, stores, locks, and what is read and shown. */
export const subjects = {
  budget: {
    files: ["core/src/tokens/token-budget.ts", "core/src/tokens/count-messages.ts"],
    tests: ["core/src/tokens/token-budget", "core/src/tokens/count-messages"],
  },
  path: {
    files: ["core/src/node/resolve-inside.ts", "plan-protocol/src/paths/"],
    tests: ["core/src/node/resolve-inside", "plan-protocol/src/paths/"],
  },
  scheduler: {
    files: ["operations/src/run/plan-run.ts", "operations/src/run/reduce-run.ts"],
    tests: [
      "operations/src/run/reduce-run",
      "operations/src/run/run-basics",
      "operations/src/run/run-stopping",
    ],
  },
  // The limits on handlers: time, output and retries.
  limits: {
    files: [
      "kinds/kind",
      "run/concurrency-limiter",
      "run/check-limits",
      "run/bound-store",
      "run/bound-summary",
    ].map((name) => `operations/src/${name}.ts`),
    tests: [
      "kinds/kind",
      "run/concurrency-limiter",
      "run/check-limits",
      "run/bound-store",
      "run/bound-summary",
    ].map((name) => `operations/src/${name}`),
  },
  store: {
    files: ["artifact-store/src/store/", "artifact-store/src/driver/plan-eviction.ts"],
    // Of the suites, the one that needs no disk and no keys.
    tests: ["conformance/memory", "memory/", "store/"].map((name) => `artifact-store/src/${name}`),
  },
  lock: {
    files: ["core/src/node/file-lock.ts"],
    tests: [
      "core/src/node/file-lock.test",
      "core/src/node/file-lock-orders",
      "core/src/node/file-lock-faults",
    ],
  },
  // Without the tests that compile the types of clients, which take longer than all others together.
  wire: {
    files: ["providers/src/wire/"],
    tests: [
      "answer",
      "golden",
      "recorded-requests",
      "responses",
      "round-trips",
      "readings",
      "writings",
    ].map((name) => `providers/src/wire/${name}`),
  },
  forms: {
    files: [
      "compress/src/render-units.ts",
      "compress/src/select-units.ts",
      "compress/src/json/",
      "compress/src/repeats/",
    ],
    // Without hostile texts of 400,000 characters.
    tests: ["json/", "kinds", "repeats/", "compress.test", "render-units", "select-units"].map(
      (name) => `compress/src/${name}`,
    ),
  },
  gateway: {
    files: [
      "gateway/src/decide/",
      "gateway/src/price/",
      "gateway/src/history/history-item.ts",
      "gateway/src/gateway/recent-sessions.ts",
      "gateway/src/gateway/session-key.ts",
    ],
    // Without the tests of a gateway over a slow store, which take longer than all others together.
    tests: ["decide/", "history/", "price/", "gateway/recent-sessions", "gateway/session-key"].map(
      (name) => `gateway/src/${name}`,
    ),
  },
  // Without the tests that start servers as processes.
  proxy: {
    files: ["proxied-tools", "server-config", "shrink-result", "tool-list"].map(
      (name) => `mcp/src/proxy/${name}.ts`,
    ),
    tests: ["proxied-tools", "server-config", "shrink-result", "tool-list"].map(
      (name) => `mcp/src/proxy/${name}`,
    ),
  },
  access: {
    files: ["catalog/src/access/", "catalog/src/catalog/visible-set.ts"],
    tests: ["catalog/src/access/"],
  },
  seal: {
    files: ["artifact-store-s3/src/blobs/", "artifact-store-s3/src/layout/"],
    tests: ["artifact-store-s3/src/blobs/", "artifact-store-s3/src/layout/"],
  },
};
