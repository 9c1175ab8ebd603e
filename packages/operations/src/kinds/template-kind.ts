import { z } from "zod";

import { type Kind, type ResultParams, createKind, resultShape } from "./kind.ts";

/** Parameters of the kind `template`. `writeArtifact` or `emit` determines where the text goes. */
export interface TemplateParams extends ResultParams {
  /** Text, optionally with Liquid. */
  template: string;
  /** If true, a variable that does not exist is `template_render_error`. */
  strictVariables?: boolean | undefined;
}

const params: z.ZodType<TemplateParams> = z.strictObject({
  template: z.string(),
  strictVariables: z.exactOptional(z.boolean()),
  ...resultShape,
});

/** Renders one template without calling a model. */
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
