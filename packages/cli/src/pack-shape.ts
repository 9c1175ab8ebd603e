import { readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";

import type { PackShape } from "./build-project-pack.ts";
import { CliError } from "./cli-error.ts";
import { CONFIG_FILE, readPackConfig } from "./pack-config.ts";
import { readInput } from "./plan/read-input.ts";
import type { Session } from "./session.ts";

const DEFAULT_BUDGET = 8000;

/** Flags as a user gives them: what is absent comes from the settings. */
export type ShapeFlags = Omit<PackShape, "budget"> & { budget?: number | undefined };

/** Flags over the project's settings over the defaults. */
export async function applySettings(session: Session, flags: ShapeFlags): Promise<PackShape> {
  const config = await readPackConfig(session);
  const { instructionFile } = config;
  return {
    ...flags,
    budget: flags.budget ?? config.budget ?? DEFAULT_BUDGET,
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

/** The shape of a repository that is cloned: neither its settings nor those of the current folder count. */
export async function withoutSettings(session: Session, flags: ShapeFlags): Promise<PackShape> {
  const { instructions } = flags;
  return {
    ...flags,
    budget: flags.budget ?? DEFAULT_BUDGET,
    rules: instructions && (await readInput(session, instructions, "instructions")),
  };
}

/** The shape without the file that the pack is written to, which is no part of the project. */
export function ignoringOutput(
  session: Session,
  shape: PackShape,
  { out, split }: { out?: string | undefined; split?: number | undefined },
): PackShape {
  if (out === undefined) return shape;
  const path = relative(session.root, resolve(session.terminal.cwd(), out)).replaceAll("\\", "/");
  if (path.startsWith("../") || path === "") return shape;
  const pattern = `/${path.replace(/[\\*?[\]!# ]/g, String.raw`\$&`)}`;
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
    throw new CliError("usage", message, { cause: error });
  }
}
