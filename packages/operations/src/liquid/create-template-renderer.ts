import {
  type Clock,
  type Complete,
  type Result,
  type TokenCounter,
  estimatedCounter,
  failure,
  redactSecrets,
  success,
  systemClock,
  withDefaults,
} from "@ccl/core";
import { type Context, defaultOperators, type Emitter, Liquid, type Template } from "liquidjs";

import { wellFormed } from "../artifact/copy-json.ts";
import { messageView } from "./message-view.ts";
import {
  TemplateError,
  chargeSearch,
  filterText,
  libraryFilters,
  ownFilters,
  patternOf,
  scalarOf,
  type WorkLimit,
} from "./template-filter.ts";
import type {
  RenderTemplateOptions,
  TemplateRenderer,
  TemplateScope,
} from "./template-renderer.ts";

/** Limits of a render. If it exceeds one, it ends with `template_render_error`. */
interface TemplateLimits {
  /** Maximum length of a template. Defaults to 100,000. */
  maxTemplateChars?: number | undefined;
  /** Time limit of a render in milliseconds. Defaults to 500. Checked between tags and before each filter. */
  maxRenderMs?: number | undefined;
  /** Maximum length of the rendered text. Defaults to 1,000,000. */
  maxOutputChars?: number | undefined;
  /**
   * Limit of the characters that a render may produce, including the output. Each tag, text and loop iteration costs
   * another 50, and each item that a filter reads costs 16. Defaults to 10,000,000. This stops nearly all hostile
   * templates long before the time limit, and at the same point on any machine.
   */
  maxWork?: number | undefined;
}

const defaultLimits: Complete<TemplateLimits> = {
  maxTemplateChars: 100_000,
  maxRenderMs: 500,
  maxOutputChars: 1_000_000,
  maxWork: 10_000_000,
};

/** Options of a renderer. */
export interface TemplateRendererOptions {
  limits?: TemplateLimits | undefined;
  /** Token counter for the `tokens` filter. Defaults to core's estimate. */
  counter?: TokenCounter | undefined;
  /** Clock that resolves the date `now`. Defaults to the system clock. Dates are printed in UTC. */
  clock?: Clock | undefined;
}

/** Tags that a template may use. None of them loads another template. */
const allowedTags = new Set(
  "# assign break capture case comment continue cycle decrement echo for if increment liquid raw unless".split(
    " ",
  ),
);
const maxMessageChars = 512;
// Cost of each loop iteration, tag, text and output: about the time it takes to produce that many characters.
const stepWork = 50;

/**
 * Creates a Liquid environment without a file system. It reads only own properties of plain data, and ends renders that
 * take too long or produce too much.
 */
export function createTemplateRenderer(options: TemplateRendererOptions = {}): TemplateRenderer {
  const limits = withDefaults(defaultLimits, options.limits);
  const liquid = createLiquid(options, limits);
  const compile = (template: string): Template[] => {
    if (template.length > limits.maxTemplateChars) {
      throw new TemplateError(
        `The template has ${template.length} characters; at most ${limits.maxTemplateChars} are allowed`,
      );
    }
    return liquid.parse(template);
  };
  return {
    render(template, scope, { strictVariables = false }: RenderTemplateOptions = {}) {
      if (isPlain(template) && template.length <= limits.maxOutputChars) return success(template);
      return attempt(() => {
        const parsed = compile(template);
        return wellFormed(
          String(liquid.renderSync(parsed, environmentOf(scope), { strictVariables })),
        );
      });
    },
    check: (template) =>
      attempt(() => {
        compile(template);
        return template;
      }),
  };
}

let shared: TemplateRenderer | undefined;

/** Returns the default renderer of the process. */
export function defaultRenderer(): TemplateRenderer {
  return (shared ??= createTemplateRenderer());
}

/** True if the text contains no Liquid and therefore renders to itself. */
function isPlain(template: string): boolean {
  return !template.includes("{{") && !template.includes("{%");
}

/**
 * Creates an object for each render, since `increment` writes to it. It has no prototype.
 */
function environmentOf({ art, chatHistory, main, vars, value }: TemplateScope): object {
  const environment: Record<string, unknown> = Object.create(null);
  environment["art"] = art ?? {};
  environment["vars"] = vars ?? {};
  environment["chatHistory"] = (chatHistory ?? []).map(messageView);
  if (main !== undefined) environment["main"] = main;
  if (value !== undefined) environment["value"] = value;
  return environment;
}

function attempt(render: () => string): Result<string> {
  try {
    return success(render());
  } catch (error) {
    return failure({ code: "template_render_error", path: [], message: messageOf(error) });
  }
}

/** Returns what is wrong and where, without values or secrets. The library's message ends with line and column. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : "The template failed";
  const safe = redactSecrets(text.slice(0, 4 * maxMessageChars)).text.slice(0, maxMessageChars);
  return `The template cannot be rendered: ${safe}.`;
}

function createLiquid(options: TemplateRendererOptions, limits: Complete<TemplateLimits>): Liquid {
  const { clock = systemClock, counter = estimatedCounter } = options;
  const liquid = new Liquid({
    strictFilters: true,
    ownPropertyOnly: true,
    templates: {},
    timezoneOffset: 0,
    locale: "en-US",
    dateFormat: "%Y-%m-%dT%H:%M:%SZ",
    parseLimit: limits.maxTemplateChars,
    renderLimit: limits.maxRenderMs,
    memoryLimit: limits.maxWork,
    operators: { ...defaultOperators, contains },
  });
  for (const name of Object.keys(liquid.tags)) if (!allowedTags.has(name)) delete liquid.tags[name];
  registerFilters(liquid, clock, counter);
  boundEmitters(liquid, limits);
  return liquid;
}

/** Wraps the library's operator to charge for a search before it begins. */
function contains(left: unknown, right: unknown, context: Context): boolean {
  const work = context.memoryLimit;
  let wanted = scalarOf(right);
  if (typeof left === "string") {
    const pattern = patternOf(filterText(work, wanted));
    chargeSearch(work, left, pattern);
    wanted = pattern;
  }
  if (typeof left === "string" || Array.isArray(left)) work.use(left.length);
  return Boolean(defaultOperators["contains"]?.(left, wanted, context));
}

function registerFilters(liquid: Liquid, clock: Clock, counter: TokenCounter): void {
  const library = { ...liquid.filters };
  for (const name of Object.keys(library)) liquid.unregisterFilter(name);
  for (const [[first, second = first, others = second], names] of libraryFilters(clock)) {
    for (const name of names.split(" ")) {
      const handler = library[name];
      if (typeof handler !== "function") continue;
      liquid.registerFilter(name, function run(given: unknown, ...args: unknown[]) {
        const work = workOf(this.context);
        const value = first(work, given);
        const converted = args.map((arg, at) => (at === 0 ? second : others)(work, arg, value));
        return handler.call(this, value, ...converted);
      });
    }
  }
  for (const [name, filter] of Object.entries(ownFilters(counter))) {
    liquid.registerFilter(name, function run(value: unknown, ...args: unknown[]) {
      return filter(workOf(this.context), value, ...args);
    });
  }
}

/** Returns the limit of a render's work. Throws if its time is up. */
function workOf(context: Context): WorkLimit {
  context.renderLimit.check(performance.now());
  return context.memoryLimit;
}

/**
 * Routes all output of a template, including captures, through an emitter with a size limit. Each step counts as work.
 */
function boundEmitters(liquid: Liquid, { maxOutputChars }: Complete<TemplateLimits>): void {
  const { renderer } = liquid;
  const renderTemplates = renderer.renderTemplates.bind(renderer);
  renderer.renderTemplates = (templates, context, emitter) => {
    context.memoryLimit.use(stepWork * (1 + templates.length));
    return renderTemplates(templates, context, emitter ?? boundedEmitter(context, maxOutputChars));
  };
}

/** Prints lists and objects as JSON, and ends renders that write too much. */
function boundedEmitter(context: Context, maxChars: number): Emitter {
  return {
    buffer: "",
    write(value) {
      const text = filterText(context.memoryLimit, value);
      if (this.buffer.length + text.length > maxChars)
        throw new TemplateError(`The text would be longer than ${maxChars} characters`);
      this.buffer += text;
    },
  };
}
