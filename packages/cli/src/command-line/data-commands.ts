import type { FacetFilter } from "@ccl/catalog";

import {
  budgetFlag,
  collect,
  type CommandDeclaration,
  commandsOf,
  count,
  countingFlags,
  type Flag,
  pair,
  whole,
} from "./command-declaration.ts";

const facetFlag: Flag = [
  "--facet <name=value>",
  "filter, such as kind=api or owner=sales; repeatable",
  {
    parse(text: string, before: FacetFilter = {}): FacetFilter {
      const [name, value] = pair(text);
      return { ...before, [name]: [before[name] ?? [], value].flat() };
    },
  },
];

const failOnFlag = (what: string): Flag => [
  "--fail-on <severity>",
  `${what} if a change is as severe as this, or more`,
  { choices: ["breaking", "additive", "cosmetic"] },
];

const repeated = { parse: collect };
const required = { isRequired: true };

const catalogGroup: readonly CommandDeclaration[] = [
  ...commandsOf(() => import("../commands/catalog-import.ts"), {
    catalogInit: ["init", "create an empty catalog in .ccl/catalog"],
    catalogImport: [
      "import",
      "import sources, or read the imported ones again; prints what changed",
      [
        [
          "--sql <source>",
          "sqlite:<path> or postgres://...; repeatable, as the other sources are",
          repeated,
        ],
        ["--openapi <file or url>", "OpenAPI 3 or Swagger 2, JSON or YAML", repeated],
        ["--mcp <command or url>", "start a server and list its tools", repeated],
        ["--files <glob>", "CSV, JSON, JSONL, Parquet", repeated],
        ["--jsonl <file>", "resources, one per line", repeated],
        ["--name <name>", "name of the source in ids (default: from its address)"],
        ["--schema <name...>", "only these schemas of a database"],
        [
          "--sample-rows <number>",
          "how many rows of each table to sample for shares of nulls and missing types",
          { parse: count },
        ],
        ["--token-env <variable>", "variable with the bearer token for an address"],
        ["--dry-run", "only print what would change"],
        failOnFlag("write nothing and exit with 3"),
      ],
    ],
  }),
  ...commandsOf(() => import("../commands/catalog-read.ts"), {
    catalogSearch: [
      "search <text...>",
      "find resources by words",
      [
        ["--limit <number>", "maximum number of matches", { otherwise: 20, parse: count }],
        facetFlag,
        ["--explain", "show the parts of each score"],
      ],
    ],
  }),
  ...commandsOf(() => import("../commands/catalog-show.ts"), {
    catalogCard: ["show <id>", "print the details of a resource"],
  }),
  ...commandsOf(() => import("../commands/catalog-read.ts"), {
    catalogContext: [
      "context",
      "print rows and cards for a prompt, within a budget",
      [
        ["--task <text>", "what the model should do", required],
        budgetFlag(2000),
        ...countingFlags,
        facetFlag,
      ],
    ],
    catalogDocs: [
      "docs",
      "write resources.md, for people",
      [
        ["--out <file>", "another file; - for stdout (default: .ccl/catalog/resources.md)"],
        ["--title <text>", "first heading"],
      ],
    ],
  }),
  ...commandsOf(() => import("../commands/catalog-verify.ts"), {
    catalogVerify: [
      "verify",
      "compare the catalog with its sources; exits with 3 if they differ, 8 if one does not answer",
      [["--update", "update columns and keys; keeps what people wrote"]],
    ],
  }),
  ...commandsOf(() => import("../commands/catalog-diff.ts"), {
    catalogDiff: [
      "diff [revision]",
      "show what changed since a commit (default: HEAD) or a snapshot, and how severe it is",
      [
        ["--against <file or folder>", "compare with a snapshot or a copy of the catalog's folder"],
        ["--save <file>", "write a snapshot of the catalog instead of comparing"],
        failOnFlag("exit with 3"),
      ],
    ],
  }),
];

/** Commands for a project's resources (databases, APIs, MCP servers and files) and queries on their rows. */
export const catalogCommands: readonly CommandDeclaration[] = [
  {
    name: "catalog",
    about: "manage tables, APIs, tools and files that a model may use",
    commands: catalogGroup,
  },
  ...commandsOf(() => import("../commands/query.ts"), {
    query: [
      "query [sql]",
      "run one SELECT over the tables and files of the catalog; a table on a terminal, tabs in a pipe",
      [
        ["--plan <file>", "run a plan instead of SQL, as YAML, JSON or arrows; - for stdin"],
        [
          "--format <format>",
          "table, csv or json (only rows; --json also has columns)",
          { choices: ["table", "csv", "json"] },
        ],
        ["--explain", "print where each part would run; reads no rows"],
        [
          "--limit-rows <number>",
          "fail if there are more rows",
          { otherwise: 10_000, parse: count },
        ],
        ["--timeout-ms <number>", "fail after this time", { otherwise: 30_000, parse: count }],
      ],
    ],
  }),
];

const storeFlags: readonly Flag[] = [
  ["--store <path>", "a SQLite file, or the folder that contains it (default: CCL_STORE)"],
  ["--postgres <url>", "postgres://...; needs the package pg"],
];

const limitFlag = (otherwise: number): Flag => [
  "--limit <number>",
  "maximum number",
  { otherwise, parse: whole("a number from 1 to 9999", 1, 9999) },
];

const runGroup: readonly CommandDeclaration[] = commandsOf(() => import("../commands/runs.ts"), {
  runList: [
    "list",
    "list the newest runs of a store",
    [...storeFlags, limitFlag(20), ["--unfinished", "only unfinished runs, oldest first"]],
  ],
  runShow: [
    "show <run>",
    "show one run: its operations, its model calls and how it ended",
    [...storeFlags, ["--events", "also show each event"]],
  ],
  runAbort: ["abort <run>", "end a run, whichever worker has it", storeFlags],
  runResume: [
    "resume <run>",
    "resume a run that has no worker, in this process",
    [
      ...storeFlags,
      [
        "--engine <module>",
        "module that exports createEngine(stores); needed for operations of your application",
      ],
      ["--model <name>", "such as ollama/qwen3:8b (default: CCL_MODEL)"],
    ],
  ],
});

const sessionGroup: readonly CommandDeclaration[] = commandsOf(
  () => import("../commands/sessions.ts"),
  {
    sessionList: ["list", "list chats with their branches", [...storeFlags, limitFlag(100)]],
    sessionShow: [
      "show <id>",
      "show the messages of a chat, newest last",
      [
        ...storeFlags,
        ["--branch <name>", "branch of the chat (default: main)"],
        ["--find <words>", "only turns that contain all of these words"],
        limitFlag(20),
      ],
    ],
  },
);

/** Commands for the chats that an application stores. */
export const storeCommands: readonly CommandDeclaration[] = [
  {
    name: "run",
    about: "show, end or resume runs of a chat backend",
    commands: runGroup,
  },
  {
    name: "session",
    about: "show the conversations of a store",
    commands: sessionGroup,
  },
];
