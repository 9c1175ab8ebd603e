import type { ChatMessage, Result } from "@ccl/core";

/** What a template may refer to. */
export interface TemplateScope {
  /** Values by tag: `{{ art.world_state.weather }}`. */
  art?: Readonly<Record<string, unknown>> | undefined;
  /** `{{ chatHistory | last: 5 | compact }}`. */
  chatHistory?: readonly ChatMessage[] | undefined;
  /** After the main call: `{{ main.text }}`, `{{ main.finishReason }}`. */
  main?: { text: string; finishReason: string } | undefined;
  /** Variables of the turn's settings: `{{ vars.name }}`. */
  vars?: Readonly<Record<string, unknown>> | undefined;
  /** The value of a prompt inclusion: `{{ value }}`. */
  value?: unknown;
}

/** How one template is rendered. */
export interface RenderTemplateOptions {
  /** True: a variable that does not exist is an error. By default it renders as nothing. */
  strictVariables?: boolean | undefined;
}

/** Renders Liquid templates over plain data, within limits. */
export interface TemplateRenderer {
  /**
   * Returns the text, or one issue `template_render_error`. Values are data: a value is never rendered as a template.
   * The message names template positions, never values.
   */
  render(template: string, scope: TemplateScope, options?: RenderTemplateOptions): Result<string>;
  /** Checks whether a template can be parsed, without rendering it. */
  check(template: string): Result<string>;
}
