import { createTemplateRenderer } from "./create-template-renderer.ts";
import type { TemplateRenderer } from "./template-renderer.ts";

let renderer: TemplateRenderer | undefined;

/** The default renderer. The process has one, so that templates are compiled once. */
export function defaultRenderer(): TemplateRenderer {
  renderer ??= createTemplateRenderer();
  return renderer;
}
