import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { PackStyle } from "@ccl/aliases";

import { CliError, inputError } from "./cli-error.ts";
import type { Session } from "./session.ts";

/** The name of a project's settings, at its root. */
export const CONFIG_FILE = "ccl.config.json";

/** What `ccl.config.json` may set; flags win over it. */
export interface PackConfig {
  include?: string[] | undefined;
  ignore?: string[] | undefined;
  budget?: number | undefined;
  /** Tokens by alias prefix. */
  caps?: Record<string, number> | undefined;
  style?: PackStyle | "document" | undefined;
  /** Relative to the root. */
  instructionFile?: string | undefined;
}

/** Reads and checks the settings at the root; none where there is no such file. */
export async function readPackConfig({ root }: Pick<Session, "root">): Promise<PackConfig> {
  const file = join(root, CONFIG_FILE);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw new CliError("usage", `${file} cannot be read.`, { cause: error });
  }
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
    const reason = error instanceof Error ? error.message : "";
    throw new CliError("usage", `${file} is not JSON: ${reason}`, { cause: error });
  }
}
