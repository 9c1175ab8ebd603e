import {
  budgetFlag,
  type CommandDeclaration,
  commandsOf,
  count,
  countingFlags,
  type Flag,
  tokens,
} from "./command-declaration.ts";

/** Flags that determine what a pack contains. */
const shapeFlags: readonly Flag[] = [
  ["--task <text>", "what the model should do (default: get to know the project)"],
  [
    "--budget <tokens>",
    "size limit in tokens; 16k means 16,000 (default: 8000)",
    { parse: tokens },
  ],
  ...countingFlags,
  ["--include <glob...>", "only files that match one of these"],
  ["--ignore <pattern...>", "leave out files, in .gitignore syntax"],
  ["--focus <file...>", "aliases or paths to show in full"],
];

const packFlags: readonly Flag[] = [
  ...shapeFlags,
  [
    "--style <name>",
    "format of the pack; document has only names and cards",
    { choices: ["plain", "markdown", "xml", "document"] },
  ],
  ["--line-numbers", "put its number before each line"],
  ["--instructions <file>", "rules for the model, before the task"],
  ["--profile <alias>", "profile for the model to follow, shown in full"],
  ["--diff", "add the changes of the working tree"],
  ["--log [commits]", "add the latest commits (default: 20)", { parse: count }],
  ["--stdin", "only the files listed on stdin, one per line"],
  [
    "--remote <repository>",
    "pack a clone of a URL, a local repository or owner/name on GitHub",
    { conflicts: ["accept", "base", "stdin", "watch"] },
  ],
  ["--branch <name>", "a branch or tag of --remote"],
  ["--show", "only print; write nothing in the folder of context files", { conflicts: ["accept"] }],
  ["--out <file>", "write the pack to a file instead of stdout"],
  ["--split <tokens>", "split --out into parts of up to this many tokens", { parse: tokens }],
  ["--copy", "copy the pack to the clipboard instead of stdout"],
  ["--watch", "rewrite --out whenever a file changes", { conflicts: ["stdin"] }],
  ["--tree", "show on stderr how many tokens files and folders take"],
  ["--base", "put the changes since the accepted base into the [DELTA] section"],
  ["--accept", "make this state the base of later deltas"],
];

const aliasCommands: readonly CommandDeclaration[] = commandsOf(
  () => import("../commands/alias.ts"),
  {
    aliasAdd: ["add <alias> <path>", "name a file; replaces its existing name"],
    aliasList: ["list", "list all aliases with their paths and hashes"],
    aliasVerify: [
      "verify",
      "compare the recorded hashes with the files; exits with 3 if one is stale",
    ],
    aliasScan: ["scan", "name new files, record new hashes, drop the names of files that are gone"],
    aliasRemove: ["rm <alias>", "remove a name; the file stays"],
  },
);

const cardsCommands: readonly CommandDeclaration[] = commandsOf(
  () => import("../commands/cards.ts"),
  {
    cardsBuild: ["build [alias...]", "write the cards of these aliases, or of all"],
    cardsShow: ["show <alias>", "print the card of the current file"],
  },
);

/** Commands that turn a project's files into a prompt. */
export const projectCommands: readonly CommandDeclaration[] = [
  {
    name: "look",
    about: "show what ccl would do here; runs without a command",
    isHidden: true,
    run: async () => (await import("../commands/look.ts")).look,
  },
  ...commandsOf(() => import("../commands/init.ts"), {
    init: [
      "init",
      "set up the folder of context files and name every file that is not ignored",
      [["-y, --yes", "don't ask for confirmation"]],
    ],
  }),
  {
    name: "alias",
    about: "manage short names of files: H.main, S.entities, T.contract",
    commands: aliasCommands,
  },
  {
    name: "cards",
    about: "write and print index cards: a file in up to ten lines",
    commands: cardsCommands,
  },
  ...commandsOf(() => import("../commands/pack.ts"), {
    pack: [
      "pack",
      "print the project as a prompt within budget; writes nothing in a folder without init",
      packFlags,
    ],
  }),
  ...commandsOf(() => import("../commands/explain.ts"), {
    explain: [
      "explain <file...>",
      "explain why files rank where they do for a task, and what a pack shows of them",
      shapeFlags,
    ],
  }),
  ...commandsOf(() => import("../commands/doctor.ts"), {
    doctor: [
      "doctor [store]",
      "check what ccl needs and what packs leave out, or what is damaged in a store of records",
      [["--copy <place>", "copy what is intact in the store to a new place"]],
    ],
  }),
  ...commandsOf(() => import("../commands/alias.ts"), {
    expand: [
      "expand <alias>",
      "print the file behind an alias: H.main or H.main@9f8e7d6c",
      [["--lines <range>", "only these lines: 10-40, 10- or 7"]],
    ],
  }),
  ...commandsOf(() => import("../commands/diff.ts"), {
    diff: [
      "diff",
      "print what changed since the accepted base, as the next prompt",
      [
        ["--action <text>", "what the model should do about it"],
        budgetFlag(8000),
        ...countingFlags,
        ["--patch", "print a patch for git apply instead of the prompt"],
        ["--show", "only print; write nothing"],
      ],
    ],
  }),
];
