import { z } from "zod";

import { defaultRenderer } from "../liquid/default-renderer.ts";
import type { TemplateRenderer } from "../liquid/template-renderer.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import { readParams, requireAllowed } from "./read-params.ts";
import {
  resultEffects,
  resultEffectTypes,
  type ResultParams,
  resultShape,
} from "./result-params.ts";
import { createHandler, rendered } from "./run-handler.ts";
import { templateScopeOf } from "./template-scope-of.ts";

/** Parameters of the kind `template`; one of `writeArtifact` and `emit` says what becomes of the text. */
export interface TemplateParams extends ResultParams {
  /** Text, with Liquid or without. */
  template: string;
  /** A variable that does not exist is `template_render_error`. */
  strictVariables?: boolean | undefined;
}

/** Checks the parameters of the kind `template`. */
export const templateParamsSchema: z.ZodType<TemplateParams> = z.strictObject({
  template: z.string(),
  strictVariables: z.exactOptional(z.boolean()),
  ...resultShape,
});

/** The handler of the kind `template`: renders one text and calls no model. */
export function createTemplateOperation(
  options: { liquid?: TemplateRenderer | undefined } = {},
): OperationHandler {
  return createHandler(async ({ context, debug }) => {
    const params = readParams(templateParamsSchema, context);
    requireAllowed(resultEffectTypes(params), context);
    const { strictVariables = false } = params;
    const renderer = options.liquid ?? defaultRenderer();
    const text = rendered(
      renderer.render(params.template, templateScopeOf(context), { strictVariables }),
    );
    Object.assign(debug.inputsSummary, { templateChars: params.template.length, strictVariables });
    Object.assign(debug.outputsSummary, { textChars: text.length });
    return { effects: resultEffects(params, { value: text, text }) };
  });
}
