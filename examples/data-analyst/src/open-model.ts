import { readFile } from "node:fs/promises";

import type { LanguageModel } from "@ccl/core";
import { findModel } from "@ccl/providers/environment";
import { createOpenAiCompatibleModel } from "@ccl/providers/openai-compatible";
import { startTestServer } from "@ccl/providers/testing";

/** A model over HTTP. */
export interface OpenedModel {
  model: LanguageModel;
  /** False for a real model, whose answers are not known in advance. */
  isRecorded: boolean;
  close(): Promise<void>;
}

/** The model of this machine, or a server on loopback that returns the recorded answers in order. */
export async function openModel(recording = "answers.json"): Promise<OpenedModel> {
  const { env } = process;
  const found = env["CCL_MODEL"] === "recorded" ? undefined : await findModel({ env });
  if (found !== undefined)
    return { model: found.model, isRecorded: false, close: async () => undefined };
  const recorded: unknown = JSON.parse(
    await readFile(new URL(`../recorded/${recording}`, import.meta.url), "utf8"),
  );
  if (!Array.isArray(recorded)) throw new Error(`recorded/${recording} is no list of answers.`);
  const script = recorded.map((answer) => ({
    type: "answer" as const,
    text: JSON.stringify(answer),
  }));
  const server = await startTestServer({ script });
  const model = createOpenAiCompatibleModel({
    baseUrl: server.baseUrl("openai"),
    model: "recorded",
  });
  return { model, isRecorded: true, close: () => server.close() };
}
