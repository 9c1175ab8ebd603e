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
  return room >= 600 ? room : refuse("Expected 600 or more, such as 3000 or 3k.");
}

const state: Flag = [
  "--state <folder>",
  "where artifacts are stored (default: the user's state folder)",
];

const listenFlags: readonly Flag[] = [
  ["--http [port]", "serve streamable HTTP on this machine instead of stdio", { parse: port }],
  ["--host <address>", "address to listen on; any but loopback needs CCL_MCP_TOKEN"],
];

const settingsFlags: readonly Flag[] = [
  ["--project", "change the project's settings instead of the user's"],
  ["-y, --yes", "don't ask for confirmation"],
  ["--show", "only print the change"],
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

const configFlag: Flag = [
  "--config <file>",
  "the mcp.json that lists the servers",
  { isRequired: true },
];

const mcpGroup: readonly CommandDeclaration[] = [
  ...commandsOf(() => import("../commands/mcp.ts"), {
    mcpProxy: [
      "proxy",
      "serve other MCP servers with short tool lists and results, over stdio",
      [
        configFlag,
        ...listenFlags,
        [
          "--list-tokens <tokens>",
          "replace longer tool lists with three tools",
          { otherwise: 3_000, parse: readRoom },
        ],
        [
          "--result-tokens <tokens>",
          "cut and store longer results",
          { otherwise: 2_000, parse: readRoom },
        ],
        state,
        ["--no-learning", "don't rank tools in find_tools by their successful calls"],
      ],
    ],
    mcpDoctor: [
      "doctor",
      "start the servers in a file, and print how many tokens their tools take and what is wrong",
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
      "remove old artifacts, except those that a recent session shows",
      [
        [
          "--days <days>",
          "minimum age in days",
          { otherwise: 30, parse: number("a number of days such as 30", () => true) },
        ],
        ["--dry-run", "only print what would be removed"],
        state,
      ],
    ],
    artifactsList: ["ls", "list all artifacts, newest first", [state]],
    artifactsSearch: [
      "search <artifact> <words...>",
      "print matching lines with the lines around them",
      [budgetFlag(600), state],
    ],
    artifactsRead: [
      "read <artifact>",
      "print the whole text, or some of its lines",
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
  [
    "--postgres <url>",
    "store state in a database that several proxies share; needs the package pg",
  ],
  ["--record", "also store the text of prompts, without secrets, for ccl ui"],
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
      "remove ccl from a client's settings, or from all; keeps every other byte",
      settingsFlags,
    ],
  }),
  ...commandsOf(() => import("../commands/status.ts"), {
    status: [
      "status",
      "show which clients use ccl, whether a proxy runs, and its traffic",
      [
        [
          "--url <url>",
          "address of the proxy (default: the one in the shell's variables, else port 8788)",
        ],
        ["--token-env <name>", "variable with the proxy's token"],
        ["--line", "print one line for the statusLine of Claude Code"],
      ],
    ],
  }),
  {
    name: "mcp",
    about: "serve the project over MCP to an editor, over stdio",
    flags: [
      ...listenFlags,
      ["--allow-apply", "also offer plan_apply; the client asks its user before each change"],
      state,
    ],
    run: async () => (await import("../commands/mcp.ts")).mcpServe,
    commands: mcpGroup,
  },
  ...commandsOf(() => import("../commands/audit.ts"), {
    audit: [
      "audit [folder]",
      "show what filled the prompts of coding agents, and what each policy would have saved; reads only",
      [
        ["--all", "read every session (default: the newest, for 25 s)"],
        [
          "--price <usd>",
          "US dollars per million input tokens, if you do not pay the list price",
          { parse: number("a price such as 3 or 0.25", (usd) => usd > 0) },
        ],
      ],
    ],
  }),
  ...commandsOf(() => import("../commands/shrink.ts"), {
    shrink: [
      "shrink [question]",
      "shorten stdin for a model: keeps what you ask for and what went wrong",
      [
        budgetFlag(1200),
        ["--state <folder>", "where the full text is stored"],
        ["--hook", "answer a hook of Claude Code, as `ccl hooks install` sets it up"],
      ],
    ],
  }),
  {
    name: "hooks",
    about: "make coding agents shorten long results, without a proxy",
    commands: settingsCommands("hooks", {
      install: "add the hook for claude-code, codex or opencode; shows the change first",
      uninstall: "remove the hook from a client's settings",
    }),
  },
  {
    name: "artifacts",
    about: "read content that a model was shown in part",
    commands: artifactsGroup,
  },
  ...commandsOf(() => import("../commands/proxy.ts"), {
    proxy: [
      "proxy",
      "run a local proxy in front of a model API that shortens long tool results",
      [
        ["--upstream <url>", "the API, such as https://api.anthropic.com (required)"],
        ["--port <port>", "0 for a free one", { otherwise: 8788, parse: port }],
        ["--host <address>", "address to listen on; any but loopback needs --token-env"],
        ["--token-env <name>", "variable with the token that callers must send as x-ccl-token"],
        ...gatewayFlags,
      ],
    ],
    wrap: [
      "wrap <command...>",
      "run a command and send its model calls through a proxy: ccl wrap -- claude -p hello",
      [["--upstream <url>", "the API, if it is not the client's own"], ...gatewayFlags],
    ],
  }),
];

/** The command that serves a page showing what is in a model's context. */
export const uiCommand: CommandDeclaration = {
  name: "ui [view] [parameters...]",
  about:
    "serve a page with prompts, savings, packs, runs, catalog, queries and plans; with --json, print one of its views: ccl ui --json prompt session=... at=3",
  flags: [
    [
      "--export <file>",
      "write one HTML file that opens without a server; session=... at=... adds the full texts of that prompt",
    ],
    ["--port <port>", "port of the page (default: a free one)", { parse: port }],
    ["--state <folder>", "state folder of the gateway"],
    ["--agents <folder>", "folder with logs of coding agents (default: those of this user)"],
    ["--records <folder>", "folder that recordTo writes to (default: .ccl/records)"],
    ["--runs <store>", "store of runs: a SQLite file, a folder with one, or postgres://..."],
    ["--gateway <url>", "address of a running gateway, to show its counters"],
    ["--token-env <name>", "variable with the gateway's token"],
  ],
  run: async () => (await import("../inspect/ui.ts")).ui,
};
