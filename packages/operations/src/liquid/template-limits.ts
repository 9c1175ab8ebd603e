import { type Complete } from "@ccl/core";
/** What templates may use up; beyond it a render ends with `template_render_error`. */
export interface TemplateLimits {
  /** Characters of one template; default 100,000. */
  maxTemplateChars?: number | undefined;
  /** Time of one render in milliseconds; default 500. Looked at between tags, and within long filters. */
  maxRenderMs?: number | undefined;
  /** Characters of the rendered text; default 1,000,000. */
  maxOutputChars?: number | undefined;
  /**
   * Characters and items that a render may produce, the output included, with 50 for each tag, text and turn of a
   * loop; default 10,000,000. It ends nearly all hostile templates long before their time, and at the same place on any machine.
   */
  maxWork?: number | undefined;
}

/** The limits where none are given. */
export const defaultTemplateLimits: Complete<TemplateLimits> = {
  maxTemplateChars: 100_000,
  maxRenderMs: 500,
  maxOutputChars: 1_000_000,
  maxWork: 10_000_000,
};
