import type { LanguageModel } from "@ccl/core";
import { findModel } from "@ccl/providers/environment";
import { createOpenAiCompatibleModel } from "@ccl/providers/openai-compatible";
import { startTestServer, type TestBehaviour, type TestDialect } from "@ccl/providers/testing";

/** A model to ask, and how to clean up. */
export interface Endpoint {
  name: string;
  model: LanguageModel;
  /** The formats that the attempts are known to use. Absent for an unscripted endpoint. */
  expectedFormats?: string[];
  close(): Promise<void>;
}

const fitting = { cities: [{ name: "Ulm", inhabitants: 129_000 }, { name: "Bonn" }] };
const misfit: TestBehaviour = {
  type: "answer",
  text: '```json\n{ "cities": [{ "name": "Ulm", "inhabitants": "many" }] }\n```',
};
const broken: TestBehaviour = {
  type: "answer",
  text: `Sure. ${JSON.stringify(fitting).slice(0, -1)},} Anything else?`,
};
const refusal: TestBehaviour = { type: "error", status: 400, about: "response_format" };

/** The behaviour of the servers on loopback, each of them difficult in its own way. */
const scripts: { dialect: TestDialect; script: TestBehaviour[]; expectedFormats: string[] }[] = [
  {
    dialect: "openai",
    script: [refusal, misfit, broken],
    expectedFormats: ["json_schema", "json_object", "json_object"],
  },
  {
    dialect: "lm-studio",
    script: [refusal, broken],
    expectedFormats: ["json_schema", "json_object", "none"],
  },
  {
    dialect: "ignores-format",
    script: [misfit, broken],
    expectedFormats: ["json_schema", "json_schema"],
  },
];

/** The model of this machine, or servers on loopback that play difficult ones. */
export async function openEndpoints(): Promise<Endpoint[]> {
  const { env } = process;
  const found = env["CCL_MODEL"] === "recorded" ? undefined : await findModel({ env });
  if (found === undefined) return Promise.all(scripts.map((scripted) => openScripted(scripted)));
  const { model } = found;
  return [{ name: model.modelId, model, close: async () => undefined }];
}

async function openScripted({
  dialect,
  script,
  expectedFormats,
}: (typeof scripts)[number]): Promise<Endpoint> {
  const server = await startTestServer({ script });
  const options = { baseUrl: server.baseUrl(dialect), model: "scripted", timeoutMs: 10_000 };
  const model = createOpenAiCompatibleModel(options);
  return { name: dialect, model, expectedFormats, close: () => server.close() };
}
