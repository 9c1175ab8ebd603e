import type { ToolDefinition } from "@ccl/core";
import { withoutUndefined } from "@ccl/core/json";
import type { StructuredSchema } from "@ccl/structured-output";

import { kindHandler } from "../kinds/create-builtin-operations.ts";
import type { GuardCondition } from "../kinds/guard-kind.ts";
import type { ComputeView, Retriever } from "../kinds/kind-options.ts";
import type { ResultParams } from "../kinds/kind.ts";
import type { LlmParams } from "../kinds/llm-kind.ts";
import type { RagParams } from "../kinds/rag-kind.ts";
import type { ToolParams } from "../kinds/tool-kind.ts";
import type { TransformParams } from "../kinds/transform-kind.ts";
import type { WaitParams } from "../kinds/wait-kind.ts";
import type { OperationHandler } from "../operation/operation-definition.ts";
import { mainModelReference, type ModelReference } from "../operation/turn-settings.ts";
import type { OperationSpec, ResultSettings } from "./define-profile.ts";

type Own<Params, Named extends keyof Params> = Omit<Params, keyof ResultParams | Named>;

/** Renders Liquid over `art`, `chatHistory`, `vars` and, after the main call, `main`. Does not call a model. */
export function template(
  text: string,
  settings: ResultSettings & { strictVariables?: boolean | undefined } = {},
): OperationSpec {
  return { kind: "template", settings, params: () => ({ template: text }) };
}

/** What a `compute` function receives. */
export interface ComputeInput extends ComputeView {
  /** Text of the main model's answer. "" before the main call. */
  answer: string;
}

/**
 * Stores the return value of a function. It must be JSON and deterministic, since the function can run again after a
 * crash.
 */
export function compute(
  run: (input: ComputeInput) => unknown,
  settings: ResultSettings & { timeoutMs?: number | undefined } = {},
): OperationSpec {
  const fn = {
    run: (_: unknown, view: ComputeView): unknown =>
      run({ ...view, answer: view.main?.text ?? "" }),
  };
  return {
    kind: "compute",
    settings,
    params: (name) => ({ function: name }),
    createHandler: (name) => kindHandler("compute", { functions: { [name]: fn } }),
  };
}

/** Settings of `llm`: call parameters, and where the answer goes. */
export interface LlmSettings
  extends
    ResultSettings,
    Own<LlmParams, "prompt" | "providerRef" | "model" | "credentialRef" | "output"> {
  /** Model to request from the engine's `models`. Defaults to the main model. */
  model?: ModelReference | undefined;
  /** The answer must be JSON that matches this schema: zod, another Standard Schema, or JSON Schema. */
  schema?: StructuredSchema<unknown> | undefined;
}

/** Calls a model in addition to the main call. The prompt is Liquid. */
export function llm(prompt: string, settings: LlmSettings = {}): OperationSpec {
  const { model = mainModelReference, schema } = settings;
  return {
    kind: "llm",
    settings,
    writes: "always",
    params: (name) =>
      withoutUndefined({
        ...model,
        prompt,
        output: schema && { mode: "json", schemaRef: name },
      }),
    createHandler:
      schema &&
      ((name, options) => kindHandler("llm", { ...options, schemas: { [name]: schema } })),
  };
}

/**
 * Waits for a person or a timeout. `maxWaitMs` after the run's start, it continues with `otherwise`. `engine.answer`
 * supplies the value, which other operations read as `art.<name>`. The question is a Liquid template.
 */
export function waitFor(
  question: string,
  settings: ResultSettings & Own<WaitParams, "question"> = {},
): OperationSpec {
  return {
    kind: "wait",
    settings,
    writes: "always",
    params: () => ({ question }),
  };
}

/** Computes a boolean that other operations can name in `when`. */
export function guard(condition: GuardCondition, settings: ResultSettings = {}): OperationSpec {
  return { kind: "guard", settings, writes: "always", params: () => ({ condition }) };
}

/** Stores the passages that a retriever finds. The query is Liquid. */
export function rag(
  query: string,
  settings: ResultSettings & Own<RagParams, "query"> & { retriever?: Retriever | undefined } = {},
): OperationSpec {
  const { retriever } = settings;
  return {
    kind: "rag",
    settings,
    params: () => ({ query }),
    createHandler: retriever && ((_, options) => kindHandler("rag", { ...options, retriever })),
  };
}

/** Calls a tool. Each string in its arguments is a Liquid template. */
export function tool(
  definition: ToolDefinition,
  settings: ResultSettings & Own<ToolParams, "tool"> = {},
): OperationSpec {
  return {
    kind: "tool",
    settings,
    params: () => ({ tool: definition.name }),
    createHandler: (_, options) => kindHandler("tool", { ...options, tools: [definition] }),
  };
}

/** Changes the answer after the main call. */
export function transform(
  steps: TransformParams["steps"],
  settings: ResultSettings & Own<TransformParams, "steps"> = {},
): OperationSpec {
  const placed = { after: true, ...settings };
  return { kind: "transform", settings: placed, writes: "never", params: () => ({ steps }) };
}

/** Runs your own code, which may return any effects. */
export function custom(handler: OperationHandler, settings: ResultSettings = {}): OperationSpec {
  return { kind: "custom", settings, writes: "never", params: () => ({}), handler };
}
