export { assemblePrompt } from "./assemble-prompt.ts";
export type {
  AssembledPrompt,
  AssemblePromptOptions,
  EffectInput,
  InclusionInput,
  PromptContributor,
  PromptOrigin,
} from "./assembled-prompt.ts";
