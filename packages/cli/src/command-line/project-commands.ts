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
  ["--task <text>", "what the model is to do (default: get to know the project)"],
  [
    "--budget <tokens>",
    "size limit in tokens; 16k means 16,000 (default: 8000)",
    { parse: tokens },
  ],
  ...countingFlags,
  ["--include <glob...>", "only files that match one of these"],
  ["--ignore <pattern...>", "leave files out, in .gitignore syntax"],
  ["--focus <file...>", "aliases or paths that the work is about: shown in full"],
];

const packFlags: readonly Flag[] = [
  ...shapeFlags,
  [
    "--style <name>",
    "how it is written; document: names and cards only",
    { choices: ["plain", "markdown", "xml", "document"] },
  ],
  ["--line-numbers", "put the line number before each line"],
  ["--instructions <file>", "rules for the model, before the task"],
  ["--profile <alias>", "the profile that the model is to follow, shown whole"],
  ["--diff", "add the changes of the working tree"],
  ["--log [commits]", "add the latest commits (default: 20)", { parse: count }],
  ["--stdin", "only the files that stdin names, one a line"],
  [
    "--remote <repository>",
    "a URL, a local repository or owner/name at GitHub",
    { conflicts: ["accept", "base", "stdin", "watch"] },
  ],
  ["--branch <name>", "a branch or tag of --remote"],
  [
    "--show",
    "print only; write nothing below the folder of context files",
    { conflicts: ["accept"] },
  ],
  ["--out <file>", "write the pack to a file instead of stdout"],
  ["--split <tokens>", "write --out in parts of up to so many tokens", { parse: tokens }],
  ["--copy", "put the pack on the clipboard instead of stdout"],
  ["--watch", "write --out anew whenever a file changes", { conflicts: ["stdin"] }],
  ["--tree", "show on stderr which files and folders take how many tokens"],
  ["--base", "put the changes since the accepted base into the [DELTA] section"],
  ["--accept", "make this state the base of later deltas"],
];

const aliasCommands: readonly CommandDeclaration[] = commandsOf(
  () => import("../commands/alias.ts"),
  {
    aliasAdd: ["add <alias> <path>", "name a file, in place of the name that it has"],
    aliasList: ["list", "all aliases with their paths and hashes"],
    aliasVerify: [
      "verify",
      "compare the recorded hashes with the files; exit code 3 when one is stale",
    ],
    aliasScan: ["scan", "name new files, record new hashes, drop the names of files that are gone"],
    aliasRemove: ["rm <alias>", "forget a name; the file stays"],
  },
);

const cardsCommands: readonly CommandDeclaration[] = commandsOf(
  () => import("../commands/cards.ts"),
  {
    cardsBuild: ["build [alias...]", "write the cards of these aliases, or of all"],
    cardsShow: ["show <alias>", "print a card made from the file as it is now"],
  },
);

/** Commands that turn a project's files into a prompt. */
export const projectCommands: readonly CommandDeclaration[] = [
  ...commandsOf(() => import("../commands/init.ts"), {
    init: [
      "init",
      "set up the folder of context files and name every file that is not ignored",
      [["-y, --yes", "ask nothing"]],
    ],
  }),
  {
    name: "alias",
    about: "short names of files: H.main, S.entities, T.contract",
    commands: aliasCommands,
  },
  {
    name: "cards",
    about: "index cards: a file in at most ten lines",
    commands: cardsCommands,
  },
  ...commandsOf(() => import("../commands/pack.ts"), {
    pack: [
      "pack",
      "the project as a prompt within budget; in a folder without init it writes nothing",
      packFlags,
    ],
  }),
  ...commandsOf(() => import("../commands/explain.ts"), {
    explain: [
      "explain <file...>",
      "why files rank where they do for a task, and what a pack shows of them",
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
      [["--lines <range>", "a part of it: 10-40, 10- or 7"]],
    ],
  }),
  ...commandsOf(() => import("../commands/diff.ts"), {
    diff: [
      "diff",
      "what changed since the accepted base, as the prompt of the next round",
      [
        ["--action <text>", "what the model is to do about it"],
        budgetFlag(8000),
        ...countingFlags,
        ["--patch", "print what git apply takes instead of the prompt"],
        ["--show", "print only; write nothing"],
      ],
    ],
  }),
];
