import { type Command, InvalidArgumentError, Option } from "commander";

import type { ArtifactFlags } from "./commands/artifacts.ts";
import type { AuditFlags } from "./commands/audit.ts";
import type { ShrinkFlags } from "./commands/shrink.ts";
import type { CommandResult } from "./output/command-result.ts";
import type { Session } from "./session.ts";

type Run = (command: (session: Session) => Promise<CommandResult>) => Promise<void>;

/** `ccl audit`, `ccl shrink`, `ccl artifacts`: what agents' prompts are spent on, and how to spend less. */
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
      ).argParser(parsePrice),
    )
    .action((folder: string | undefined, flags: AuditFlags) =>
      run(async (session) => (await import("./commands/audit.ts")).audit(session, folder, flags)),
    );
  program
    .command("shrink [question]")
    .description("stdin as a model should read it: what was asked for and what went wrong")
    .addOption(tokensOption("1200"))
    .option("--state <folder>", "where the whole is kept")
    .action((question: string | undefined, flags: ShrinkFlags) =>
      run(async (session) =>
        (await import("./commands/shrink.ts")).shrink(session, question, flags),
      ),
    );
  addArtifactsCommands(program, run);
}

function addArtifactsCommands(program: Command, run: Run): void {
  const artifacts = program
    .command("artifacts")
    .description("what was kept whole when it was shown in part");
  const state = ["--state <folder>", "where artifacts are kept"] as const;
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

function tokensOption(byDefault: string): Option {
  return new Option("--budget <tokens>", "most tokens")
    .default(Number(byDefault), byDefault)
    .argParser(parseTokens);
}

function parseTokens(text: string): number {
  const tokens = Number(text);
  if (!Number.isInteger(tokens) || tokens < 1)
    throw new InvalidArgumentError("Give a whole number such as 1200.");
  return tokens;
}

function parsePrice(text: string): number {
  const usd = Number(text);
  if (!Number.isFinite(usd) || usd <= 0 || text.trim() === "")
    throw new InvalidArgumentError("Give a price such as 3 or 0.25.");
  return usd;
}
