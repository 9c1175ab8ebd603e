import {
  budgetFlag,
  type CommandDeclaration,
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
  ["--line-numbers", "put its number before each line of a file"],
  ["--instructions <file>", "rules for the model, before the task"],
  ["--profile <alias>", "the profile that the model is to follow, shown whole"],
  ["--diff", "add the changes of the working tree"],
  ["--log [commits]", "add the latest commits (default: 20)", { parse: count }],
  ["--stdin", "only the files that stdin names, one a line"],
  ["--remote <repository>", "a URL, a local repository or owner/name at GitHub"],
  ["--branch <name>", "a branch or tag of --remote"],
  ["--show", "print only; write nothing below the folder of context files"],
  ["--out <file>", "write the pack to a file instead of stdout"],
  ["--split <tokens>", "write --out in parts of up to so many tokens", { parse: tokens }],
  ["--copy", "put the pack on the clipboard instead of stdout"],
  ["--watch", "write --out anew whenever a file changes"],
  ["--tree", "show on stderr which files and folders take how many tokens"],
  ["--base", "put what changed since the accepted base into the [DELTA] section"],
  ["--accept", "make this state the base of later deltas"],
];

const aliasCommands: readonly CommandDeclaration[] = [
  {
    name: "add <alias> <path>",
    about: "name a file, in place of the name that it has",
    run: async () => (await import("../commands/alias.ts")).aliasAdd,
  },
  {
    name: "list",
    about: "all aliases with their paths and hashes",
    run: async () => (await import("../commands/alias.ts")).aliasList,
  },
  {
    name: "verify",
    about: "compare the recorded hashes with the files; exit code 3 when one is stale",
    run: async () => (await import("../commands/alias.ts")).aliasVerify,
  },
  {
    name: "scan",
    about: "name new files, record new hashes, drop the names of files that are gone",
    run: async () => (await import("../commands/alias.ts")).aliasScan,
  },
  {
    name: "rm <alias>",
    about: "forget a name; the file stays",
    run: async () => (await import("../commands/alias.ts")).aliasRemove,
  },
];

const cardsCommands: readonly CommandDeclaration[] = [
  {
    name: "build [alias...]",
    about: "write the cards of these aliases, or of all",
    run: async () => (await import("../commands/cards.ts")).cardsBuild,
  },
  {
    name: "show <alias>",
    about: "print a card made from the file as it is now",
    run: async () => (await import("../commands/cards.ts")).cardsShow,
  },
];

/** Commands that turn a project's files into a prompt. */
export const projectCommands: readonly CommandDeclaration[] = [
  {
    name: "init",
    about: "set up the folder of context files and name every file that is not ignored",
    flags: [["-y, --yes", "ask nothing"]],
    run: async () => (await import("../commands/init.ts")).init,
  },
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
  {
    name: "pack",
    about: "the project as a prompt within budget; in a folder without init it writes nothing",
    flags: packFlags,
    run: async () => (await import("../commands/pack.ts")).pack,
  },
  {
    name: "explain <file...>",
    about: "why files rank where they do for a task, and what a pack shows of them",
    flags: shapeFlags,
    run: async () => (await import("../commands/explain.ts")).explain,
  },
  {
    name: "doctor [store]",
    about:
      "check what ccl needs and what packs leave out, or what is damaged in a store of records",
    flags: [["--copy <place>", "copy what is intact in the store to a new place"]],
    run: async () => (await import("../commands/doctor.ts")).doctor,
  },
  {
    name: "expand <alias>",
    about: "print the file behind an alias, in its own words; takes H.main or H.main@9f8e7d6c",
    flags: [["--lines <range>", "a part of it: 10-40, 10- or 7"]],
    run: async () => (await import("../commands/alias.ts")).expand,
  },
  {
    name: "diff",
    about: "what changed since the accepted base, as the prompt of the next round",
    flags: [
      ["--action <text>", "what the model is to do about it"],
      budgetFlag(8000),
      ...countingFlags,
      ["--patch", "print what git apply takes instead of the prompt"],
      ["--show", "print only; write nothing"],
    ],
    run: async () => (await import("../commands/diff.ts")).diff,
  },
];
