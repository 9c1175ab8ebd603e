import { type Command, InvalidArgumentError, Option } from "commander";

import type { GenFlags } from "./commands/gen.ts";
import type { PlanPruneFlags } from "./commands/plan-prune.ts";
import type { PlanValidateFlags } from "./commands/plan-validate.ts";
import type { CommandResult } from "./output/command-result.ts";
import type { ApplyFlags } from "./plan/apply-confirmed.ts";
import type { PlanInputFlags } from "./plan/load-plan.ts";
import type { Session } from "./session.ts";

type Run = (command: (session: Session) => Promise<CommandResult>) => Promise<void>;

/** `ccl plan ...`: plans from a file or from stdin, as a model wrote them. */
export function addPlanCommands(program: Command, run: Run): void {
  const plan = program
    .command("plan")
    .description("plans of a model: check, preview, apply, roll back");
  addWorkspaceOptions(plan.command("validate [file]"))
    .description("whether an answer holds a plan that may be applied here; stdin without a file")
    .addOption(
      new Option("--mode <mode>", "what it was asked for")
        .choices(["plan", "apply"])
        .default("apply"),
    )
    .addOption(versionOption())
    .action((file: string | undefined, flags: PlanValidateFlags) =>
      run(async (session) =>
        (await import("./commands/plan-validate.ts")).planValidate(session, file, flags),
      ),
    );
  addWorkspaceOptions(plan.command("preview [file]"))
    .description(
      "what a plan would change, as diffs, and the hash that confirms it; writes nothing",
    )
    .addOption(versionOption())
    .action((file: string | undefined, flags: PlanInputFlags) =>
      run(async (session) =>
        (await import("./commands/plan-preview.ts")).planPreview(session, file, flags),
      ),
    );
  addApplyOptions(
    plan
      .command("apply [file]")
      .description(
        "apply a plan as one transaction, or change nothing; without a file the change that ccl gen showed",
      )
      .addOption(versionOption()),
  ).action((file: string | undefined, flags: PlanInputFlags & ApplyFlags) =>
    run(async (session) =>
      (await import("./commands/plan-apply.ts")).planApply(session, file, flags),
    ),
  );
  plan
    .command("rollback <transaction>")
    .description('take a transaction back, by its id or "last"')
    .action((transaction: string) =>
      run(async (session) =>
        (await import("./commands/plan-rollback.ts")).planRollback(session, transaction),
      ),
    );
  plan
    .command("recover")
    .description("undo what a process that has ended left unfinished")
    .action(() =>
      run(async (session) => (await import("./commands/plan-recover.ts")).planRecover(session)),
    );
  plan
    .command("log")
    .description("the transactions of this folder, oldest first")
    .action(() =>
      run(async (session) => (await import("./commands/plan-log.ts")).planLog(session)),
    );
  plan
    .command("prune")
    .description(
      "remove old transactions and the files that they replaced; they can't be rolled back any more",
    )
    .requiredOption("--keep <number>", "how many of the latest stay; 0 for none", parseKeep)
    .action((flags: PlanPruneFlags) =>
      run(async (session) => (await import("./commands/plan-prune.ts")).planPrune(session, flags)),
    );
}

/** `ccl gen`: a change made by a model. */
export function addGen(program: Command, run: Run, packOptions: readonly Option[]): void {
  const command = program
    .command("gen <goal>")
    .description(
      "ask a model for a change and show it; files change only with --apply or --until-green",
    )
    .option("--apply", "apply the change")
    .option(
      "--until-green <number>",
      "apply it where all checks pass; else the model sees what failed and tries again, so often in all",
      parseCount,
    )
    .option("--plan-only", 'ask for a diagnosis and steps only; "ccl gen ok" carries them out')
    .option("--report <file>", "the output of a failing run, for the model to read; - for stdin")
    .option("--use-pack", "give the model the pack of the project for the goal (default)")
    .option("--no-pack", "don't give the model the pack of the project for the goal")
    .option("--delta", "give the model what changed since the accepted base")
    .option("--out <file>", "write the plan to a file, for ccl plan apply")
    .option(
      "--model <name>",
      "anthropic/NAME, openai/NAME, ollama/NAME and the like, by the usual environment variables (default: CCL_MODEL)",
    )
    .option(
      "--base-url <url>",
      "an OpenAI-compatible server (default: CCL_MODEL_BASE_URL; key in CCL_MODEL_API_KEY)",
    )
    .option("--replay <file>", "answer from a recording; with --model, record what it lacks")
    .option("--timeout <seconds>", "for one answer of the model (default: 90)", parseCount)
    .option("--max-calls <number>", "stop before more calls", parseCount)
    .option(
      "--max-tokens <number>",
      "stop before more tokens, input and output together",
      parseCount,
    )
    .option("--max-usd <dollars>", "stop before it costs more", parseAmount)
    .option("--price <input/output>", "dollars for a million tokens each, such as 3/15", parsePrice)
    .option("--best-effort", "ask by the prompt alone, without a response format")
    .option("--verbose", "say on stderr what happens")
    .option("--trace", "write .ccl/traces/<id>.json")
    .addOption(versionOption());
  for (const option of packOptions) command.addOption(option);
  addApplyOptions(command).action((goal: string, flags: GenFlags) =>
    run(async (session) => (await import("./commands/gen.ts")).gen(session, goal, flags)),
  );
}

/** `ccl memory ...`: what a model knows of the person and the project. */
export function addMemoryCommands(program: Command, run: Run): void {
  const memory = program
    .command("memory")
    .description("what a model knows of you and of the project");
  memory
    .command("show")
    .description("all that is remembered, and where")
    .action(() =>
      run(async (session) => (await import("./commands/memory-show.ts")).memoryShow(session)),
    );
  memory
    .command("set <key> <value>")
    .description("remember a value, such as project.default_test_command; a list as JSON")
    .action((key: string, value: string) =>
      run(async (session) =>
        (await import("./commands/memory-set.ts")).memorySet(session, key, value),
      ),
    );
}

function addApplyOptions(command: Command): Command {
  return addWorkspaceOptions(command)
    .option(
      "--check <command>",
      "has to pass after the change as before it, or all is rolled back; repeatable",
      collect,
    )
    .option("--check-timeout <seconds>", "for one run of a check (default: 120)", parseCount)
    .addOption(
      new Option("--check-may-fail", "apply also where a check fails before the change").conflicts(
        "checkMustPass",
      ),
    )
    .option("--check-must-pass", "run checks only after the change, which has to make all pass")
    .option(
      "--confirm <hash>",
      "agree to just the plan that a preview showed; needed for deletions",
    )
    .option("-y, --yes", "agree without being asked");
}

function addWorkspaceOptions(command: Command): Command {
  return command
    .option("--allow-list <file>", "JSON of what a plan may touch: allowed_extensions and the like")
    .option("--limit <name=number>", "another limit than the default; repeatable", collect);
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError("Give a whole number from 1 on.");
  return Number(text);
}

function parseAmount(text: string): number {
  if (!/^\d{1,6}(?:\.\d{1,6})?$/.test(text) || Number(text) <= 0)
    throw new InvalidArgumentError("Give an amount such as 0.50.");
  return Number(text);
}

function parsePrice(text: string): { input: number; output: number } {
  const [, input, output] = /^(\d{1,6}(?:\.\d{1,6})?)\/(\d{1,6}(?:\.\d{1,6})?)$/.exec(text) ?? [];
  if (input === undefined || output === undefined)
    throw new InvalidArgumentError("Give two amounts such as 3/15.");
  return { input: Number(input), output: Number(output) };
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function parseKeep(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("Give a whole number from 0 on.");
  return Number(text);
}

function versionOption(): Option {
  return new Option(
    "--schema-version <number>",
    "version of the plan: 1, 2 or 3 (default: what it says, else 2)",
  ).argParser((text) => {
    const version = ([1, 2, 3] as const).find((known) => String(known) === text);
    if (version === undefined) throw new InvalidArgumentError("Known are 1, 2 and 3.");
    return version;
  });
}
