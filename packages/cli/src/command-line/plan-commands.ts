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
  "version of the plan: 1, 2 or 3 (default: what it says, else 2)",
  {
    parse: (text: string) =>
      [1, 2, 3].find((known) => String(known) === text) ?? refuse("Give 1, 2 or 3."),
  },
];

const workspaceFlags: readonly Flag[] = [
  ["--allow-list <file>", "JSON of what a plan may touch: allowed_extensions and the like"],
  ["--limit <name=number>", "override a default limit; repeatable", { parse: collect }],
];

const applyFlags: readonly Flag[] = [
  ...workspaceFlags,
  [
    "--check <command>",
    "must pass before and after the change, or everything is rolled back; repeatable",
    { parse: collect },
  ],
  ["--check-timeout <seconds>", "for one run of a check (default: 120)", { parse: count }],
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
    'ask for a diagnosis and steps only; "ccl gen ok" carries them out',
    { conflicts: ["apply", "untilGreen"] },
  ],
  ["--report <file>", "the output of a failing run, for the model to read; - for stdin"],
  ["--use-pack", "give the model the pack of the project for the goal (default)"],
  ["--no-pack", "don't give the model the pack of the project for the goal"],
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
  ["--replay <file>", "answer from a recording; with --model, record what it lacks"],
  ["--timeout <seconds>", "for one answer of the model (default: 90)", { parse: count }],
  ["--max-calls <number>", "stop before more calls", { parse: count }],
  ["--max-tokens <number>", "stop before more tokens, input and output together", { parse: count }],
  [
    "--max-usd <dollars>",
    "stop before it costs more",
    { parse: number("an amount such as 0.50", (usd) => usd > 0) },
  ],
  [
    "--price <input/output>",
    "dollars for a million tokens each, such as 3/15",
    { parse: readPrice },
  ],
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
  if (output === undefined) return refuse("Give two amounts such as 3/15.");
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
          "what the model was asked for",
          { choices: ["plan", "apply"], otherwise: "apply" },
        ],
        versionFlag,
      ],
    ],
    planPreview: [
      "preview [file]",
      "what a plan would change, as diffs, and the hash that confirms it; writes nothing",
      [...workspaceFlags, versionFlag],
    ],
    planApply: [
      "apply [file]",
      "apply a plan as one transaction, or change nothing; without a file the change that ccl gen showed",
      [versionFlag, ...applyFlags],
    ],
  }),
  ...commandsOf(() => import("../commands/transactions.ts"), {
    planRollback: ["rollback <transaction>", 'roll a transaction back, by its id or "last"'],
    planRecover: ["recover", "undo what a process that has ended left unfinished"],
    planLog: ["log", "the transactions of this folder, oldest first"],
    planPrune: [
      "prune",
      "remove old transactions and the files that they replaced; they can't be rolled back any more",
      [
        [
          "--keep <number>",
          "how many of the latest stay; 0 for none",
          { isRequired: true, parse: whole("a whole number, 0 or more", 0) },
        ],
      ],
    ],
  }),
];

const memoryGroup: readonly CommandDeclaration[] = commandsOf(
  () => import("../commands/memory.ts"),
  {
    memoryShow: ["show", "all that is remembered, and where"],
    memorySet: [
      "set <key> <value>",
      "remember a value, such as project.default_test_command; a list as JSON",
    ],
  },
);

/** Commands for code changes that a model writes. */
export const planCommands: readonly CommandDeclaration[] = [
  {
    name: "plan",
    about: "plans of a model: check, preview, apply, roll back",
    commands: planGroup,
  },
  {
    name: "memory",
    about: "what a model is given about you and the project",
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
