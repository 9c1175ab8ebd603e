import type { LanguageModel } from "@ccl/core";
import { findModel } from "@ccl/providers/environment";
import { createOpenAiCompatibleModel } from "@ccl/providers/openai-compatible";
import { startTestServer, type TestBehaviour } from "@ccl/providers/testing";

/** A model over HTTP, and the requests that it received. */
export interface RecordedModel {
  model: LanguageModel;
  /** True if the answers are known in advance. */
  isScripted: boolean;
  /** The bodies of the calls so far, as sent over HTTP. */
  bodies(): Record<string, unknown>[];
  close(): Promise<void>;
}

/** The model of this machine, or a server on loopback that plays this script. */
export async function openModel(script: readonly TestBehaviour[]): Promise<RecordedModel> {
  const sent: Record<string, unknown>[] = [];
  const recordingFetch: typeof fetch = (input, init) => {
    if (typeof init?.body === "string") sent.push(JSON.parse(init.body));
    return fetch(input, init);
  };
  const { env } = process;
  const found =
    env["CCL_MODEL"] === "recorded" ? undefined : await findModel({ env, fetch: recordingFetch });
  if (found !== undefined) {
    const close = async (): Promise<void> => undefined;
    return { model: found.model, isScripted: false, bodies: () => sent, close };
  }
  const server = await startTestServer({ script });
  return {
    model: createOpenAiCompatibleModel({
      baseUrl: server.baseUrl("openai"),
      model: "scripted",
      timeoutMs: 10_000,
    }),
    isScripted: true,
    bodies: () => server.calls.map(({ body }) => body),
    close: () => server.close(),
  };
}
