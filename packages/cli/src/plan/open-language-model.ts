import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { type LanguageModel, LanguageModelError } from "@ccl/core";
import { systemCode, writeFileDurable } from "@ccl/core/node";

import { usageError } from "../cli-error.ts";
import type { Session } from "../session.ts";

/** Flags that choose the model. */
export interface ModelFlags {
  model?: string | undefined;
  baseUrl?: string | undefined;
  /** A recording that answers known requests. Unknown requests go to the model, if there is one, and are recorded. */
  replay?: string | undefined;
}

/** Opens the model from flags or the environment, a recording, or both. */
export async function openLanguageModel(
  session: Session,
  flags: ModelFlags,
): Promise<LanguageModel> {
  const { env, cwd } = session.terminal;
  const baseUrl = flags.baseUrl ?? env["CCL_MODEL_BASE_URL"];
  const name = flags.model ?? env["CCL_MODEL"];
  if (name === undefined && baseUrl !== undefined)
    throw usageError("Name the model: --model, or CCL_MODEL in the environment.");
  // With only a recording, environment variables must not cause calls.
  const isAsked =
    flags.replay === undefined || flags.model !== undefined || flags.baseUrl !== undefined;
  const model = name !== undefined && isAsked ? await openNamed(name, baseUrl, env) : undefined;
  if (flags.replay === undefined) {
    if (model !== undefined) return model;
    throw usageError(
      "Name a model: --model anthropic/NAME, openai/NAME or ollama/NAME, or --model and --base-url for another server. CCL_MODEL sets a default.",
    );
  }
  const { createReplayModel } = await import("@ccl/providers/replay");
  const path = resolve(cwd(), flags.replay);
  const store = {
    read: () => readRecording(path, model !== undefined),
    write: (text: string) => writeFileDurable(path, text),
  };
  return createReplayModel({ store, model });
}

/** Opens a model by its name. An unknown server is a usage error. A missing key is not, as the server would reject it. */
async function openNamed(
  name: string,
  baseUrl: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<LanguageModel> {
  const { namedModel } = await import("@ccl/providers/environment");
  try {
    return namedModel(name, { env, baseUrl, apiKey: env["CCL_MODEL_API_KEY"] });
  } catch (error) {
    if (LanguageModelError.isInstance(error) && error.code === "invalid_request")
      throw usageError(error.message, error);
    throw error;
  }
}

async function readRecording(path: string, mayBeNew: boolean): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = systemCode(error) ?? "unreadable";
    if (mayBeNew && code === "ENOENT") return undefined;
    throw usageError(`--replay ${path} cannot be read (${code}).`, error);
  }
}
