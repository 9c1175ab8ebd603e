import { z } from "zod";

import { createKind, type Kind } from "./kind.ts";
import { type ResultParams, resultShape } from "./kind-params.ts";

/** Parameters of the kind `template`. `writeArtifact` or `emit` says where the text goes. */
export interface TemplateParams extends ResultParams {
  /** Text, with Liquid or without. */
  template: string;
  /** True: a variable that does not exist is `template_render_error`. */
  strictVariables?: boolean | undefined;
}

const params: z.ZodType<TemplateParams> = z.strictObject({
  template: z.string(),
  strictVariables: z.exactOptional(z.boolean()),
  ...resultShape,
});

/** Renders one text and calls no model. */
export const templateKind: Kind = createKind(
  params,
  () =>
    async ({ params: { template, strictVariables = false }, render, debug }) => {
      const text = render(template);
      Object.assign(debug.inputsSummary, { templateChars: template.length, strictVariables });
      Object.assign(debug.outputsSummary, { textChars: text.length });
      return { value: text, text };
    },
);
