import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import type { LanguageModel } from "@ccl/core";

import { CliError } from "../cli-error.ts";
import type { Session } from "../session.ts";

/** Which model is asked. */
export interface ModelFlags {
  model?: string | undefined;
  baseUrl?: string | undefined;
  /** A recording: answers come from it; what it does not know is asked of the model, where one is named, and recorded. */
  replay?: string | undefined;
}

/** The model that flags or CCL_MODEL and CCL_MODEL_BASE_URL name, a recording of one, or both. */
export async function openLanguageModel(
  session: Session,
  flags: ModelFlags,
): Promise<LanguageModel> {
  const { env, cwd } = session.terminal;
  const baseUrl = flags.baseUrl ?? env["CCL_MODEL_BASE_URL"];
  const name = flags.model ?? env["CCL_MODEL"];
  if (name === undefined && baseUrl !== undefined)
    throw new CliError("usage", "Name the model: --model, or CCL_MODEL in the environment.");
  // A recording alone must not call anyone because of the environment.
  const isAsked =
    flags.replay === undefined || flags.model !== undefined || flags.baseUrl !== undefined;
  const model = name !== undefined && isAsked ? await openEndpoint(name, baseUrl, env) : undefined;
  if (flags.replay === undefined) {
    if (model !== undefined) return model;
    throw new CliError(
      "usage",
      "Name a model: --model and --base-url, or --replay with a recording.",
    );
  }
  const { createReplayModel } = await import("@ccl/providers/replay");
  const path = resolve(cwd(), flags.replay);
  const store = {
    read: () => readRecording(path, model !== undefined),
    write: (text: string) => write(path, text),
  };
  return createReplayModel({ store, model });
}

async function openEndpoint(
  model: string,
  baseUrl: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<LanguageModel> {
  const { createOpenAiCompatibleModel } = await import("@ccl/providers/openai-compatible");
  const apiKey = env["CCL_MODEL_API_KEY"];
  return createOpenAiCompatibleModel({
    model,
    baseUrl,
    apiKey,
  });
}

async function readRecording(path: string, mayBeNew: boolean): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    if (mayBeNew && code === "ENOENT") return undefined;
    throw new CliError("usage", `--replay ${path} cannot be read (${code}).`, { cause: error });
  }
}

async function write(path: string, text: string): Promise<void> {
  const { writeFileDurable } = await import("@ccl/core/node");
  await writeFileDurable(path, text);
}
