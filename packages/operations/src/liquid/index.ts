export {
  createTemplateRenderer,
  type TemplateRendererOptions,
} from "./create-template-renderer.ts";
export type { TemplateRenderer } from "./template-renderer.ts";
