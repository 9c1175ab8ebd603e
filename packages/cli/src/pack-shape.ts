import { readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";

import type { PackStyle } from "@ccl/aliases";
import { unless } from "@ccl/core/node";

import type { PackShape } from "./build-project-pack.ts";
import { inputError, messageOf, usageError } from "./cli-error.ts";
import { tokens } from "./command-line/command-declaration.ts";
import { readInput } from "./plan/read-input.ts";
import { ignorePattern, pathInRoot } from "./project.ts";
import type { Session } from "./session.ts";

const DEFAULT_BUDGET = 8000;

/** Flags as the user passes them. The settings fill in absent ones. */
export type ShapeFlags = Omit<PackShape, "budget"> & { budget?: number | undefined };

/** Merges flags over settings over the defaults. The settings are those of the project unless others are given. */
export async function applySettings(
  session: Session,
  flags: ShapeFlags,
  given?: PackConfig,
): Promise<PackShape> {
  const config = given ?? (await readPackConfig(session));
  const { instructionFile } = config;
  return {
    ...flags,
    budget: flags.budget ?? tokens(String(config.budget ?? DEFAULT_BUDGET)),
    include: flags.include ?? config.include,
    ignore: joined(config.ignore, flags.ignore),
    style: flags.style ?? config.style,
    caps: config.caps,
    rules:
      flags.instructions !== undefined
        ? await readInput(session, flags.instructions, "instructions")
        : instructionFile && (await readRules(join(session.root, instructionFile))),
  };
}

/** Excludes the output file of the pack, which is not part of the project. */
export function ignoringOutput(
  session: Session,
  shape: PackShape,
  { out, split }: { out?: string | undefined; split?: number | undefined },
): PackShape {
  const path = out && pathInRoot(session, resolve(session.terminal.cwd(), out));
  if (!path) return shape;
  const pattern = ignorePattern(path);
  const parts = split === undefined ? pattern : pattern.replace(/(\.[^./]+)?$/, ".[0-9]*$1");
  return { ...shape, ignore: joined(shape.ignore, [pattern, parts]) };
}

function joined(first: string[] | undefined, second: string[] | undefined): string[] | undefined {
  return first === undefined ? second : [...first, ...(second ?? [])];
}

async function readRules(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const message = `${file} cannot be read; ${CONFIG_FILE} names it as instructionFile.`;
    throw usageError(message, error);
  }
}

/** The name of the settings file at a project's root. */
export const CONFIG_FILE = "ccl.config.json";

/** What `ccl.config.json` may set. Flags override it. */
interface PackConfig {
  include?: string[] | undefined;
  ignore?: string[] | undefined;
  /** Same as `--budget`. */
  budget?: number | string | undefined;
  /** Token limits by alias prefix. */
  caps?: Record<string, number> | undefined;
  style?: PackStyle | "document" | undefined;
  /** Path relative to the root. */
  instructionFile?: string | undefined;
}

/** Reads and checks the settings at the root. Empty without a file. */
export async function readPackConfig({ root }: Pick<Session, "root">): Promise<PackConfig> {
  const file = join(root, CONFIG_FILE);
  const text = await unless(["ENOENT"], readFile(file, "utf8"), undefined).catch(
    (cause: unknown) => {
      throw usageError(`${file} cannot be read. Check its permissions.`, cause);
    },
  );
  if (text === undefined) return {};
  const { createJsonSchemaChecker } = await import("@ccl/structured-output/json-schema");
  const schema = new URL("../ccl.config.schema.json", import.meta.url);
  const check = createJsonSchemaChecker<PackConfig>(JSON.parse(await readFile(schema, "utf8")));
  const checked = check(parse(text, file));
  if (checked.ok) return checked.value;
  throw inputError(
    checked.issues.map((issue) => ({
      ...issue,
      message: `${CONFIG_FILE}: ${issue.path.join(".")} ${issue.message}`.replace(":  ", ": "),
    })),
  );
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw usageError(`${file} is not JSON: ${messageOf(error)}`, error);
  }
}

/**
 * Reads paths from stdin, separated by line feeds or NUL. Converts them from relative to the current folder to relative
 * to the root.
 */
export async function readListedPaths(session: Session): Promise<ReadonlySet<string>> {
  const text = await readInput(session, "-", "paths");
  const paths = text.split(text.includes("\0") ? "\0" : /\r?\n/).filter((path) => path !== "");
  const cwd = session.terminal.cwd();
  return new Set(
    paths.map((path) => relative(session.root, resolve(cwd, path)).replaceAll("\\", "/")),
  );
}
