import { type Command, InvalidArgumentError, Option } from "commander";

import type { PruneFlags } from "./commands/artifacts-prune.ts";
import type { ArtifactFlags } from "./commands/artifacts.ts";
import type { AuditFlags } from "./commands/audit.ts";
import type { HooksFlags } from "./commands/hooks.ts";
import type { ProxyFlags, WrapFlags } from "./commands/proxy.ts";
import type { ProxyDoctorFlags } from "./commands/proxy-doctor.ts";
import type { ShrinkFlags } from "./commands/shrink.ts";
import type { CommandResult } from "./output/command-result.ts";
import { parsePort } from "./parse-port.ts";
import type { Session } from "./session.ts";

type Run = (command: (session: Session) => Promise<CommandResult>) => Promise<void>;

/** `ccl audit`, `ccl shrink`, `ccl artifacts`, `ccl proxy`, `ccl wrap`: what agents' prompts are spent on, and how to spend less. */
export function addGatewayCommands(program: Command, run: Run): void {
  program
    .command("audit [folder]")
    .description(
      "what filled the prompts of Claude Code, Codex and opencode, and what each policy would have saved; reads only",
    )
    .option("--all", "every session, however long it takes (default: the newest, for 25 s)")
    .addOption(
      new Option(
        "--price <usd>",
        "US dollars of a million input tokens, where it is no list price",
      ).argParser(numberParser((usd) => usd > 0 && usd < Infinity, "a price such as 3 or 0.25")),
    )
    .action((folder: string | undefined, flags: AuditFlags) =>
      run(async (session) => (await import("./commands/audit.ts")).audit(session, folder, flags)),
    );
  program
    .command("shrink [question]")
    .description("stdin as a model should read it: what was asked for and what went wrong")
    .addOption(tokensOption("1200"))
    .option("--state <folder>", "where the whole is kept")
    .option("--hook", "answer a hook of Claude Code, as `ccl hooks install` sets it up")
    .action((question: string | undefined, flags: ShrinkFlags) =>
      run(async (session) =>
        (await import("./commands/shrink.ts")).shrink(session, question, flags),
      ),
    );
  addHooksCommands(program, run);
  addArtifactsCommands(program, run);
  addProxyCommand(program, run);
  const wrap = program
    .command("wrap <command...>")
    .description(
      "run a command with its model calls through a proxy that ends with it: ccl wrap -- claude -p hello",
    )
    .option("--upstream <url>", "the API, where it is not the client's own");
  withProxyOptions(wrap).action((command: string[], flags: WrapFlags) =>
    run(async (session) => (await import("./commands/proxy.ts")).wrap(session, command, flags)),
  );
}

function addHooksCommands(program: Command, run: Run): void {
  const hooks = program
    .command("hooks")
    .description("have long results of coding agents shortened as they come, without a proxy");
  const clients = "claude-code, codex or opencode";
  for (const isRemoval of [false, true]) {
    hooks
      .command(isRemoval ? "uninstall <client>" : "install <client>")
      .description(
        isRemoval
          ? `take it back from ${clients}`
          : `set it up for ${clients}; shows the change first`,
      )
      .option("--project", "for the project instead of the user")
      .option("-y, --yes", "ask nothing")
      .option("--show", "print the change only")
      .action((client: string, flags: HooksFlags) =>
        run(async (session) =>
          (await import("./commands/hooks.ts")).hooks(session, client, { ...flags, isRemoval }),
        ),
      );
  }
}

function addProxyCommand(program: Command, run: Run): void {
  const command = program
    .command("proxy")
    .description(
      "a local address in front of a model API: long tool results get shorter on the way",
    )
    .option("--upstream <url>", "the API, such as https://api.anthropic.com; needed")
    .addOption(new Option("--port <port>", "0 takes a free one").default(8788).argParser(parsePort))
    .option("--host <address>", "other than 127.0.0.1 needs --token-env")
    .option("--token-env <name>", "the variable that holds what callers send as x-ccl-token");
  withProxyOptions(command).action((flags: ProxyFlags) =>
    run(async (session) => (await import("./commands/proxy.ts")).proxy(session, flags)),
  );
  command
    .command("doctor")
    .description(
      "whether a proxy runs, whether clients of this shell use it, and what came through",
    )
    .option("--url <url>", "where it listens (default: the local address that clients are set to)")
    .option("--token-env <name>", "the variable that holds its token")
    .action((flags: ProxyDoctorFlags) =>
      run(async (session) =>
        (await import("./commands/proxy-doctor.ts")).proxyDoctor(session, flags),
      ),
    );
}

/** What a proxy and a wrapped command have in common. */
function withProxyOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--mode <mode>",
        "audit changes nothing, safe loses nothing, full shows large and old results in part",
      )
        .choices(["audit", "safe", "full"])
        .default("safe"),
    )
    .addOption(
      new Option(
        "--holdout <share>",
        "share of the sessions that pass unchanged, for comparison",
      ).argParser(numberParser((share) => share >= 0 && share <= 1, "a share such as 0.1")),
    )
    .option("--state <folder>", "where decisions and artifacts are kept")
    .option(
      "--postgres <url>",
      "keep them in a database that several proxies share; needs the package pg",
    )
    .option("--record", "keep what the prompts said too, without secrets, for ccl ui");
}

function addArtifactsCommands(program: Command, run: Run): void {
  const artifacts = program
    .command("artifacts")
    .description("what was kept whole when it was shown in part");
  const state = ["--state <folder>", "where artifacts are kept"] as const;
  addPruneCommand(artifacts, run);
  artifacts
    .command("ls")
    .description("all artifacts, the newest first")
    .option(...state)
    .action((flags: ArtifactFlags) =>
      run(async (session) =>
        (await import("./commands/artifacts.ts")).artifactsList(session, flags),
      ),
    );
  artifacts
    .command("search <artifact> <words...>")
    .description("lines that match, with what stands around them")
    .addOption(tokensOption("600"))
    .option(...state)
    .action((id: string, words: string[], flags: ArtifactFlags) =>
      run(async (session) =>
        (await import("./commands/artifacts.ts")).artifactsSearch(session, id, {
          query: words.join(" "),
          flags,
        }),
      ),
    );
  artifacts
    .command("read <artifact>")
    .description("the whole, or some of its lines")
    .option("--lines <range>", "10-40, 10- or 7; rows of a table")
    .addOption(tokensOption("4000"))
    .option(...state)
    .action((id: string, flags: ArtifactFlags) =>
      run(async (session) =>
        (await import("./commands/artifacts.ts")).artifactsRead(session, id, flags),
      ),
    );
}

function addPruneCommand(artifacts: Command, run: Run): void {
  artifacts
    .command("prune")
    .description("remove what is old, but for what a session shows that is still in use")
    .addOption(
      new Option("--days <days>", "older than so many days")
        .default(30)
        .argParser(numberParser((days) => days >= 0, "days such as 30")),
    )
    .option("--dry-run", "say only what would go")
    .option("--state <folder>", "where artifacts are kept")
    .action((flags: PruneFlags) =>
      run(async (session) =>
        (await import("./commands/artifacts-prune.ts")).artifactsPrune(session, flags),
      ),
    );
}

function tokensOption(byDefault: string): Option {
  return new Option("--budget <tokens>", "size in tokens")
    .default(Number(byDefault), byDefault)
    .argParser(
      numberParser(
        (tokens) => Number.isInteger(tokens) && tokens > 0,
        "a whole number such as 1200",
      ),
    );
}

/** A parser of numbers, and what to give it in place of another text. */
function numberParser(
  isRight: (value: number) => boolean,
  example: string,
): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === "" || !isRight(value)) throw new InvalidArgumentError(`Give ${example}.`);
    return value;
  };
}
