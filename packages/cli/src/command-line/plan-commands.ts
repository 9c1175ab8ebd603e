import {
  budgetFlag,
  collect,
  type CommandDeclaration,
  commandsOf,
  count,
  encodingFlag,
  type Flag,
  number,
  refuse,
  whole,
} from "./command-declaration.ts";

const versionFlag: Flag = [
  "--schema-version <number>",
  "version of the plan: 1, 2 or 3 (default: the one in the plan, else 2)",
  {
    parse: (text: string) =>
      [1, 2, 3].find((known) => String(known) === text) ?? refuse("Expected 1, 2 or 3."),
  },
];

const workspaceFlags: readonly Flag[] = [
  [
    "--allow-list <file>",
    "JSON file that limits what a plan may change: allowed_extensions and the like",
  ],
  ["--limit <name=number>", "override a default limit; repeatable", { parse: collect }],
];

const applyFlags: readonly Flag[] = [
  ...workspaceFlags,
  [
    "--check <command>",
    "must pass before and after the change, or everything is rolled back; repeatable",
    { parse: collect },
  ],
  [
    "--check-timeout <seconds>",
    "time limit for one run of a check (default: 120)",
    { parse: count },
  ],
  [
    "--check-may-fail",
    "apply even if a check fails before the change",
    { conflicts: ["checkMustPass"] },
  ],
  ["--check-must-pass", "run checks only after the change; all must pass"],
  ["--confirm <hash>", "approve exactly the plan of a preview; needed for deletions"],
  ["-y, --yes", "skip the confirmation prompt"],
];

const genFlags: readonly Flag[] = [
  ["--apply", "apply the change"],
  [
    "--until-green <number>",
    "apply it if all checks pass; otherwise the model sees the failures and retries, up to this many changes in total",
    { parse: count },
  ],
  [
    "--plan-only",
    'only ask for a diagnosis and steps; "ccl gen ok" carries them out',
    { conflicts: ["apply", "untilGreen"] },
  ],
  ["--report <file>", "output of a failing run, for the model to read; - for stdin"],
  ["--use-pack", "give the model the pack of the project for the goal (default)"],
  ["--no-pack", "don't give the model a pack"],
  ["--delta", "give the model what changed since the accepted base"],
  ["--out <file>", "write the plan to a file, for ccl plan apply"],
  [
    "--model <name>",
    "anthropic/NAME, openai/NAME, ollama/NAME and the like, by the usual environment variables (default: CCL_MODEL)",
  ],
  [
    "--base-url <url>",
    "an OpenAI-compatible server (default: CCL_MODEL_BASE_URL; key in CCL_MODEL_API_KEY)",
  ],
  ["--replay <file>", "answer from a recording; with --model, record missing answers"],
  ["--timeout <seconds>", "time limit for one answer of the model (default: 90)", { parse: count }],
  ["--max-calls <number>", "maximum number of model calls", { parse: count }],
  [
    "--max-tokens <number>",
    "maximum number of tokens, input and output together",
    { parse: count },
  ],
  [
    "--max-usd <dollars>",
    "maximum cost",
    { parse: number("an amount such as 0.50", (usd) => usd > 0) },
  ],
  ["--price <input/output>", "dollars per million tokens, such as 3/15", { parse: readPrice }],
  ["--best-effort", "rely on the prompt alone, without a response format"],
  ["--verbose", "print events on stderr"],
  ["--trace", "append each event to .ccl/traces/<id>.jsonl"],
  versionFlag,
  budgetFlag(8000),
  encodingFlag,
  ...applyFlags,
];

function readPrice(text: string): { input: number; output: number } {
  const [, input, output] = /^(\d{1,6}(?:\.\d{1,6})?)\/(\d{1,6}(?:\.\d{1,6})?)$/.exec(text) ?? [];
  if (output === undefined) return refuse("Expected two amounts such as 3/15.");
  return { input: Number(input), output: Number(output) };
}

const planGroup: readonly CommandDeclaration[] = [
  ...commandsOf(() => import("../commands/plan.ts"), {
    planValidate: [
      "validate [file]",
      "check if an answer contains a plan that applies here; reads stdin without a file",
      [
        ...workspaceFlags,
        [
          "--mode <mode>",
          "the mode that the model was asked for",
          { choices: ["plan", "apply"], otherwise: "apply" },
        ],
        versionFlag,
      ],
    ],
    planPreview: [
      "preview [file]",
      "show what a plan would change, as diffs, and the hash that confirms it; writes nothing",
      [...workspaceFlags, versionFlag],
    ],
    planApply: [
      "apply [file]",
      "apply a plan as one transaction, or change nothing; without a file, the change that ccl gen showed",
      [versionFlag, ...applyFlags],
    ],
  }),
  ...commandsOf(() => import("../commands/transactions.ts"), {
    planRollback: ["rollback <transaction>", 'roll back a transaction, by its id or "last"'],
    planRecover: ["recover", "roll back what an ended process left unfinished"],
    planLog: ["log", "list the transactions of this folder, oldest first"],
    planPrune: [
      "prune",
      "remove old transactions and the files that they replaced; they can no longer be rolled back",
      [
        [
          "--keep <number>",
          "number of latest transactions to keep; 0 for none",
          { isRequired: true, parse: whole("a whole number, 0 or more", 0) },
        ],
      ],
    ],
  }),
];

const memoryGroup: readonly CommandDeclaration[] = commandsOf(
  () => import("../commands/memory.ts"),
  {
    memoryShow: ["show", "show all stored values, and where they are stored"],
    memorySet: [
      "set <key> <value>",
      "store a value, such as project.default_test_command; a list as JSON",
    ],
  },
);

/** Commands for code changes that a model writes. */
export const planCommands: readonly CommandDeclaration[] = [
  {
    name: "plan",
    about: "check, preview, apply and roll back plans of a model",
    commands: planGroup,
  },
  {
    name: "memory",
    about: "show and set what a model is told about you and the project",
    commands: memoryGroup,
  },
  ...commandsOf(() => import("../commands/gen.ts"), {
    gen: [
      "gen <goal>",
      "ask a model for a change and show it; files change only with --apply or --until-green",
      genFlags,
    ],
  }),
];
