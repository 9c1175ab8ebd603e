import type { FacetFilter } from "@ccl/catalog";

import {
  budgetFlag,
  collect,
  type CommandDeclaration,
  count,
  countingFlags,
  type Flag,
  refuse,
  whole,
} from "./command-declaration.ts";

const facetFlag: Flag = [
  "--facet <name=value>",
  "like kind=api or owner=sales; repeatable",
  {
    parse(text: string, before: FacetFilter = {}): FacetFilter {
      const [, name, value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
      if (name === undefined || value === undefined) return refuse("Write it as kind=api.");
      return { ...before, [name]: [before[name] ?? [], value].flat() };
    },
  },
];

const failOnFlag = (what: string): Flag => [
  "--fail-on <severity>",
  `${what} when something as bad as this changed`,
  { choices: ["breaking", "additive", "cosmetic"] },
];

const repeated = { parse: collect };
const required = { isRequired: true };

const catalogGroup: readonly CommandDeclaration[] = [
  {
    name: "init",
    about: "an empty catalog in .ccl/catalog",
    run: async () => (await import("../commands/catalog-import.ts")).catalogInit,
  },
  {
    name: "import",
    about: "bring sources in, or read all again that were; says what changed",
    flags: [
      [
        "--sql <source>",
        "sqlite:<path> or postgres://...; repeatable, as the other sources are",
        repeated,
      ],
      ["--openapi <file or url>", "OpenAPI 3 or Swagger 2, JSON or YAML", repeated],
      ["--mcp <command or url>", "a server that is started and asked for its tools", repeated],
      ["--files <glob>", "CSV, JSON, JSONL, Parquet", repeated],
      ["--jsonl <file>", "resources, one a line", repeated],
      ["--name <name>", "what the source is called in ids (default: from its address)"],
      ["--schema <name...>", "these schemas of a database only"],
      [
        "--sample-rows <number>",
        "rows of each table to learn shares of nulls and missing types from",
        { parse: count },
      ],
      [
        "--token-env <variable>",
        "the environment variable with the token that an address asks for",
      ],
      ["--dry-run", "say what would change, and write nothing"],
      failOnFlag("write nothing and exit with 3"),
    ],
    run: async () => (await import("../commands/catalog-import.ts")).catalogImport,
  },
  {
    name: "search <text...>",
    about: "find resources by words",
    flags: [
      ["--limit <number>", "most matches", { otherwise: 20, parse: count }],
      facetFlag,
      ["--explain", "what each score is made of"],
    ],
    run: async () => (await import("../commands/catalog-read.ts")).catalogSearch,
  },
  {
    name: "show <id>",
    about: "the details card of a resource",
    run: async () => (await import("../commands/catalog-show.ts")).catalogCard,
  },
  {
    name: "context",
    about: "rows and cards for a prompt, within a budget",
    flags: [
      ["--task <text>", "what the model is to do", required],
      budgetFlag(2000),
      ...countingFlags,
      facetFlag,
    ],
    run: async () => (await import("../commands/catalog-read.ts")).catalogContext,
  },
  {
    name: "docs",
    about: "write resources.md, for people",
    flags: [
      ["--out <file>", "another file; - for stdout (default: .ccl/catalog/resources.md)"],
      ["--title <text>", "its first heading"],
    ],
    run: async () => (await import("../commands/catalog-read.ts")).catalogDocs,
  },
  {
    name: "verify",
    about:
      "hold the catalog against its sources; exit code 3 when it is not true, 8 when one does not answer",
    flags: [["--update", "bring columns and keys up to date; what people wrote stays"]],
    run: async () => (await import("../commands/catalog-verify.ts")).catalogVerify,
  },
  {
    name: "diff [revision]",
    about: "what changed since a commit (default: HEAD) or a snapshot, and whom it hurts",
    flags: [
      ["--against <file or folder>", "a snapshot, or a copy of the catalog's folder"],
      ["--save <file>", "write a snapshot of the catalog as it is, and compare nothing"],
      failOnFlag("exit with 3"),
    ],
    run: async () => (await import("../commands/catalog-diff.ts")).catalogDiff,
  },
];

/** Commands for a project's resources (databases, APIs, MCP servers and files) and queries on their rows. */
export const catalogCommands: readonly CommandDeclaration[] = [
  {
    name: "catalog",
    about: "tables, APIs, tools and files that a model may use",
    commands: catalogGroup,
  },
  {
    name: "query [sql]",
    about:
      "run one SELECT over the tables and files of the catalog; a table on a terminal, tabs in a pipe",
    flags: [
      ["--plan <file>", "a plan in place of SQL, as YAML, JSON or arrows; - for stdin"],
      [
        "--format <format>",
        "table, csv or json (rows alone; --json has columns too)",
        { choices: ["table", "csv", "json"] },
      ],
      ["--explain", "say where it would run, and as what; read no rows"],
      ["--limit-rows <number>", "give up beyond so many rows", { otherwise: 10_000, parse: count }],
      ["--timeout-ms <number>", "give up after this time", { otherwise: 30_000, parse: count }],
    ],
    run: async () => (await import("../commands/query.ts")).query,
  },
];

const storeFlags: readonly Flag[] = [
  ["--store <path>", "a SQLite file, or the folder that holds it; default CCL_STORE"],
  ["--postgres <url>", "postgres://...; needs the package pg"],
];

const limitFlag = (otherwise: number): Flag => [
  "--limit <number>",
  "how many",
  { otherwise, parse: whole("a number from 1 to 9999", 1, 9999) },
];

const runGroup: readonly CommandDeclaration[] = [
  {
    name: "list",
    about: "the newest runs of a store",
    flags: [
      ...storeFlags,
      limitFlag(20),
      ["--unfinished", "only those that have not ended, oldest first"],
    ],
    run: async () => (await import("../commands/runs.ts")).runList,
  },
  {
    name: "show <run>",
    about: "one run: its operations, its calls of the model and how it ended",
    flags: [...storeFlags, ["--events", "each event, too"]],
    run: async () => (await import("../commands/runs.ts")).runShow,
  },
  {
    name: "abort <run>",
    about: "end a run, whichever worker has it",
    flags: storeFlags,
    run: async () => (await import("../commands/runs.ts")).runAbort,
  },
  {
    name: "resume <run>",
    about: "carry a run on that no worker has, here",
    flags: [
      ...storeFlags,
      [
        "--engine <module>",
        "exports createEngine(stores) of your application; needed for its own operations",
      ],
      ["--model <name>", "such as ollama/qwen3:8b; default CCL_MODEL"],
    ],
    run: async () => (await import("../commands/runs.ts")).runResume,
  },
];

const sessionGroup: readonly CommandDeclaration[] = [
  {
    name: "list",
    about: "chats with their branches",
    flags: [...storeFlags, limitFlag(100)],
    run: async () => (await import("../commands/sessions.ts")).sessionList,
  },
  {
    name: "show <id>",
    about: "what was said in a chat, the newest last",
    flags: [
      ...storeFlags,
      ["--branch <name>", "default main"],
      ["--find <words>", "only turns that have all of these words"],
      limitFlag(20),
    ],
    run: async () => (await import("../commands/sessions.ts")).sessionShow,
  },
];

/** Commands for what an application stores of its chats. */
export const storeCommands: readonly CommandDeclaration[] = [
  {
    name: "run",
    about: "look at the runs of a chat backend, end or resume them",
    commands: runGroup,
  },
  {
    name: "session",
    about: "look at the conversations of a store",
    commands: sessionGroup,
  },
];
