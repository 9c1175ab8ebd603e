export {
  createTemplateRenderer,
  type TemplateRendererOptions,
} from "./create-template-renderer.ts";
export type { TemplateFilter } from "./template-filter.ts";
export type {
  RenderTemplateOptions,
  TemplateRenderer,
  TemplateScope,
} from "./template-renderer.ts";
