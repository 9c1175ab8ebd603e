import { type Command, InvalidArgumentError, Option } from "commander";

import type { CommandResult, Session } from "../session.ts";

/** One command of `ccl`, or a group of them. Help, completion and execution derive from it. */
export interface CommandDeclaration {
  /** Name with arguments: `show <id>`. */
  name: string;
  about: string;
  /** True if help and completion omit it. */
  isHidden?: boolean | undefined;
  flags?: readonly Flag[] | undefined;
  /** Loads the command's function. It is imported only when the command runs, so that help stays fast. */
  run?: (() => Promise<CommandFunction>) | undefined;
  commands?: readonly CommandDeclaration[] | undefined;
}

/** Receives the command line's arguments in order, then its flags. */
export type CommandFunction = Runnable["run"];

// Declared as a method (bivariant), since commander does not know the types that its parsers return.
interface Runnable {
  run(session: Session, ...args: unknown[]): Promise<CommandResult>;
}

/** A flag, its description, and how its value is parsed. */
export type Flag = readonly [flag: string, about: string, value?: FlagValue];

interface FlagValue {
  isRequired?: boolean | undefined;
  otherwise?: unknown;
  choices?: readonly string[] | undefined;
  /** Attribute names of flags that conflict with this one. */
  conflicts?: string[] | undefined;
  /** Parses one value. `before` is the previous value if the flag is repeated. */
  parse?(text: string, before: unknown): unknown;
}

/** Command functions by exported name. */
type CommandModule<Name extends string> = Record<Name, CommandFunction>;

type Declared = readonly [name: string, about: string, flags?: readonly Flag[]];

/**
 * Declares the functions of one module as commands. The module loads when one of them runs, so that help stays fast.
 */
export function commandsOf<Name extends string>(
  load: () => Promise<CommandModule<NoInfer<Name>>>,
  commands: Record<Name, Declared>,
): CommandDeclaration[] {
  const declared: CommandDeclaration[] = [];
  for (const key in commands) {
    const [name, about, flags] = commands[key];
    declared.push({ name, about, flags, run: async () => (await load())[key] });
  }
  return declared;
}

/** Runs a command in the session of its command line. */
export type RunInSession = (command: (session: Session) => Promise<CommandResult>) => Promise<void>;

/** Adds commands to `parent`. */
export function addCommands(
  parent: Command,
  declarations: readonly CommandDeclaration[],
  runInSession: RunInSession,
): void {
  for (const { name, about, isHidden, flags = [], run, commands = [] } of declarations) {
    const command = parent.command(name, { hidden: isHidden === true }).description(about);
    for (const flag of flags) command.addOption(optionOf(flag));
    // Commander passes the command itself as the last argument.
    if (run !== undefined)
      command.action((...args) =>
        runInSession(async (session) => (await run())(session, ...args.slice(0, -1))),
      );
    addCommands(command, commands, runInSession);
  }
}

function optionOf([flag, about, value = {}]: Flag): Option {
  const { isRequired, otherwise, choices, conflicts, parse } = value;
  const option = new Option(flag, about).makeOptionMandatory(isRequired === true);
  if (otherwise !== undefined) option.default(otherwise);
  if (choices !== undefined) option.choices(choices);
  if (conflicts !== undefined) option.conflicts(conflicts);
  if (parse !== undefined) option.argParser((text, before) => parse(text, before));
  return option;
}

/** Rejects a value with a sentence that says what to pass instead. */
export function refuse(sentence: string): never {
  throw new InvalidArgumentError(sentence);
}

/** Creates a parser of numbers. */
export function number(
  example: string,
  isRight: (value: number) => boolean,
): (text: string) => number {
  return (text) => {
    const value = Number(text);
    return /^\d*\.?\d+$/.test(text) && isRight(value) ? value : refuse(`Expected ${example}.`);
  };
}

/** Creates a parser of whole numbers. */
export function whole(example: string, min: number, max = 999_999_999): (text: string) => number {
  return number(example, (value) => Number.isInteger(value) && value >= min && value <= max);
}

/** Parses a whole number. */
export const count: (text: string) => number = whole("a whole number of 1 or more", 1);

/** Parses a share of a whole. */
export const share: (text: string) => number = number("a share such as 0.1", (value) => value <= 1);

/** Parses a port. 0 means any free port. */
export const port: (text: string) => number = whole(
  "a port such as 8788, or 0 for a free one",
  0,
  65_535,
);

/** Parses `8000` or `16k`. */
export function tokens(text: string): number {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(k?)$/i.exec(text);
  const value = Number(match?.[1]) * (match?.[2] === "" ? 1 : 1000);
  return Number.isInteger(value) && value >= 1
    ? value
    : refuse("Expected a whole number such as 8000 or 16k.");
}

/** Parses `name=value`. */
export function pair(text: string): [name: string, value: string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    return refuse(`Expected name=value, not ${JSON.stringify(text)}.`);
  return [name, value];
}

/** Collects the values of a repeated flag. */
export function collect(text: string, before: string[] = []): string[] {
  return [...before, text];
}

/** The flag that chooses how tokens are counted. */
export const encodingFlag: Flag = [
  "--model-encoding <name>",
  "how tokens are counted",
  { choices: ["o200k_base", "cl100k_base", "estimate"], otherwise: "o200k_base" },
];

/** The flags that choose the model whose tokens a budget counts. */
export const countingFlags: readonly Flag[] = [
  encodingFlag,
  [
    "--model <name>",
    "count tokens of this model, such as claude-sonnet-4-5 (default: by the encoding)",
  ],
];

/** Declares the flag for the budget of a prompt. */
export function budgetFlag(otherwise: number): Flag {
  return ["--budget <tokens>", "maximum tokens; 16k means 16,000", { otherwise, parse: tokens }];
}
