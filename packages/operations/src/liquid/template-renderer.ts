import type { ChatMessage, Result } from "@ccl/core";

/** What a template may refer to. */
export interface TemplateScope {
  /** Values by tag: `{{ art.world_state.weather }}`. */
  art?: Readonly<Record<string, unknown>> | undefined;
  /** `{{ chatHistory | last: 5 | compact }}`. */
  chatHistory?: readonly ChatMessage[] | undefined;
  /** After the main call: `{{ main.text }}`, `{{ main.finishReason }}`. */
  main?: { text: string; finishReason: string } | undefined;
  /** Variables from the turn's settings: `{{ vars.name }}`. */
  vars?: Readonly<Record<string, unknown>> | undefined;
  /** The value of a prompt inclusion: `{{ value }}`. */
  value?: unknown;
}

/** How to render a template. */
export interface RenderTemplateOptions {
  /** If true, a variable that does not exist is an error. By default it renders as nothing. */
  strictVariables?: boolean | undefined;
}

/** Renders Liquid templates over plain data, within limits. */
export interface TemplateRenderer {
  /**
   * Returns the text, or one issue `template_render_error`. Values are data and are never rendered as templates. The
   * message contains template positions, never values.
   */
  render(template: string, scope: TemplateScope, options?: RenderTemplateOptions): Result<string>;
  /** Checks whether a template can be parsed, without rendering it. */
  check(template: string): Result<string>;
}
