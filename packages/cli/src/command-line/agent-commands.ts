import {
  budgetFlag,
  type CommandDeclaration,
  commandsOf,
  type Flag,
  number,
  port,
  refuse,
  share,
  tokens,
} from "./command-declaration.ts";

function readRoom(text: string): number {
  const room = tokens(text);
  return room >= 600 ? room : refuse("Give 600 or more, such as 3000 or 3k.");
}

const state: Flag = [
  "--state <folder>",
  "where artifacts are kept (default: the user's state folder)",
];

const listenFlags: readonly Flag[] = [
  ["--http [port]", "streamable HTTP on this machine instead of stdio", { parse: port }],
  ["--host <address>", "another address to listen on; needs CCL_MCP_TOKEN"],
];

const settingsFlags: readonly Flag[] = [
  ["--project", "in the project's settings instead of the user's"],
  ["-y, --yes", "ask nothing"],
  ["--show", "print the change only"],
];

/** Declares the two commands that add ccl to a client's settings and remove it. */
function settingsCommands(
  kind: "mcp" | "hooks",
  words: { install: string; uninstall: string },
): CommandDeclaration[] {
  return (["install", "uninstall"] as const).map((name) => ({
    name: `${name} <client>`,
    about: words[name],
    flags: settingsFlags,
    run: async () => (await import("../commands/install.ts")).installCommand(kind, name),
  }));
}

const configFlag: Flag = ["--config <file>", "an mcp.json with the servers", { isRequired: true }];

const mcpGroup: readonly CommandDeclaration[] = [
  ...commandsOf(() => import("../commands/mcp.ts"), {
    mcpProxy: [
      "proxy",
      "other MCP servers with short tool lists and short results, over stdio",
      [
        configFlag,
        ...listenFlags,
        [
          "--list-tokens <tokens>",
          "longer lists of tools become three tools",
          { otherwise: 3_000, parse: readRoom },
        ],
        [
          "--result-tokens <tokens>",
          "longer results are cut and stored",
          { otherwise: 2_000, parse: readRoom },
        ],
        state,
        [
          "--no-learning",
          "don't count successful calls of tools, which find_tools then ranks higher",
        ],
      ],
    ],
    mcpDoctor: [
      "doctor",
      "start the servers of a file; print how many tokens their tools take, and what is wrong",
      [configFlag, state],
    ],
  }),
  ...settingsCommands("mcp", {
    install:
      "add ccl to the settings of claude-code, codex, cursor, vscode or opencode; shows the change first",
    uninstall: "remove ccl from a client's settings",
  }),
];

const artifactsGroup: readonly CommandDeclaration[] = commandsOf(
  () => import("../commands/artifacts.ts"),
  {
    artifactsPrune: [
      "prune",
      "remove old artifacts, except those that a session in use shows",
      [
        [
          "--days <days>",
          "older than so many days",
          { otherwise: 30, parse: number("days such as 30", () => true) },
        ],
        ["--dry-run", "print only what would be removed"],
        state,
      ],
    ],
    artifactsList: ["ls", "all artifacts, the newest first", [state]],
    artifactsSearch: [
      "search <artifact> <words...>",
      "lines that match, with the lines around them",
      [budgetFlag(600), state],
    ],
    artifactsRead: [
      "read <artifact>",
      "the whole text, or some of its lines",
      [["--lines <range>", "10-40, 10- or 7; rows of a table"], budgetFlag(4000), state],
    ],
  },
);

/** Flags that `ccl proxy` and `ccl wrap` share. */
const gatewayFlags: readonly Flag[] = [
  [
    "--mode <mode>",
    "audit changes nothing, safe loses nothing, full shows large and old results in part",
    { choices: ["audit", "safe", "full"], otherwise: "safe" },
  ],
  [
    "--holdout <share>",
    "share of the sessions that pass unchanged, for comparison",
    { parse: share },
  ],
  state,
  ["--postgres <url>", "keep state in a database that several proxies share; needs the package pg"],
  ["--record", "also keep the texts of prompts, without secrets, for ccl ui"],
];

/** Commands that show and reduce the cost of agents' prompts. */
export const agentCommands: readonly CommandDeclaration[] = [
  ...commandsOf(() => import("../commands/install.ts"), {
    on: [
      "on <client>",
      "set up claude, codex, opencode, cursor or vscode; shows the change first",
      settingsFlags,
    ],
    off: [
      "off [client]",
      "remove ccl from a client's settings, or from all; every other byte stays",
      settingsFlags,
    ],
  }),
  ...commandsOf(() => import("../commands/status.ts"), {
    status: [
      "status",
      "which clients use ccl, whether a proxy runs, and what came through",
      [
        ["--url <url>", "the proxy (default: the one that the shell names, else port 8788)"],
        ["--token-env <name>", "the variable that holds the proxy's token"],
        ["--line", "one line for the statusLine of Claude Code"],
      ],
    ],
  }),
  {
    name: "mcp",
    about: "the project as an MCP server for an editor, over stdio",
    flags: [
      ...listenFlags,
      ["--allow-apply", "offer plan_apply too; the client asks its user before each change"],
      state,
    ],
    run: async () => (await import("../commands/mcp.ts")).mcpServe,
    commands: mcpGroup,
  },
  ...commandsOf(() => import("../commands/audit.ts"), {
    audit: [
      "audit [folder]",
      "what filled the prompts of coding agents, and what each policy would have saved; reads only",
      [
        ["--all", "every session (default: the newest, for 25 s)"],
        [
          "--price <usd>",
          "US dollars for a million input tokens, if you do not pay the list price",
          { parse: number("a price such as 3 or 0.25", (usd) => usd > 0) },
        ],
      ],
    ],
  }),
  ...commandsOf(() => import("../commands/shrink.ts"), {
    shrink: [
      "shrink [question]",
      "stdin as a model should read it: what was asked for and what went wrong",
      [
        budgetFlag(1200),
        ["--state <folder>", "where the full text is kept"],
        ["--hook", "answer a hook of Claude Code, as `ccl hooks install` sets it up"],
      ],
    ],
  }),
  {
    name: "hooks",
    about: "shorten long results of coding agents as they come, without a proxy",
    commands: settingsCommands("hooks", {
      install: "set it up for claude-code, codex or opencode; shows the change first",
      uninstall: "remove it from a client's settings",
    }),
  },
  {
    name: "artifacts",
    about: "full texts that a model was shown in part",
    commands: artifactsGroup,
  },
  ...commandsOf(() => import("../commands/proxy.ts"), {
    proxy: [
      "proxy",
      "a local address in front of a model API: long tool results get shorter on the way",
      [
        ["--upstream <url>", "the API, such as https://api.anthropic.com (required)"],
        ["--port <port>", "0 takes a free one", { otherwise: 8788, parse: port }],
        ["--host <address>", "other than 127.0.0.1 needs --token-env"],
        ["--token-env <name>", "the variable that holds what callers send as x-ccl-token"],
        ...gatewayFlags,
      ],
    ],
    wrap: [
      "wrap <command...>",
      "run a command with its model calls through a proxy that ends with it: ccl wrap -- claude -p hello",
      [["--upstream <url>", "the API, if it is not the client's own"], ...gatewayFlags],
    ],
  }),
];

/** The command that serves a page showing what is in a model's context. */
export const uiCommand: CommandDeclaration = {
  name: "ui [view] [parameters...]",
  about:
    "a page on this machine: prompts, savings, packs, runs, catalog, queries and plans; with --json, one of its views: ccl ui --json prompt session=... at=3",
  flags: [
    [
      "--export <file>",
      "write one HTML file that opens without a server; with session=... at=... for that prompt's whole texts",
    ],
    ["--port <port>", "where it is served (default: a free one)", { parse: port }],
    ["--state <folder>", "where the gateway keeps what it did"],
    ["--agents <folder>", "logs of coding agents, instead of those of this user"],
    ["--records <folder>", "where recordTo wrote prompts (default: .ccl/records)"],
    ["--runs <store>", "runs of operations: a SQLite file, a folder with one, or postgres://..."],
    ["--gateway <url>", "a running gateway, for what it says of itself"],
    ["--token-env <name>", "the variable that holds the gateway's token"],
  ],
  run: async () => (await import("../inspect/ui.ts")).ui,
};
