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
import { type Context, defaultOperators, Liquid, type Template } from "liquidjs";

import { wellFormed } from "../artifact/well-formed.ts";
import { BoundedEmitter } from "./bounded-emitter.ts";
import { CompiledTemplates } from "./compiled-templates.ts";
import { historyFilters } from "./history-filters.ts";
import {
  type ArgumentGuard,
  dateArguments,
  libraryFilters,
  libraryHandler,
} from "./library-filters.ts";
import { containsValue, listFilters } from "./list-filters.ts";
import { messageView } from "./message-view.ts";
import { type FilterMeter, TemplateError, type TemplateFilter } from "./template-filter.ts";
import { defaultTemplateLimits, type TemplateLimits } from "./template-limits.ts";
import type {
  RenderTemplateOptions,
  TemplateRenderer,
  TemplateScope,
} from "./template-renderer.ts";

/** Options of a renderer. */
export interface TemplateRendererOptions {
  limits?: TemplateLimits | undefined;
  /** Of the filter `tokens`; default core's estimate. */
  counter?: TokenCounter | undefined;
  /** Of the date `now`; default the machine's. Dates are printed in UTC. */
  clock?: Clock | undefined;
}

/** Tags that a template may use: none that reads another template. */
const allowedTags = new Set(
  "# assign break capture case comment continue cycle decrement echo for if increment liquid raw unless".split(
    " ",
  ),
);
const maxMessageChars = 512;
// Of a turn of a loop and of each tag, text and output in it; about as long as making that many characters takes.
const stepWork = 50;

/**
 * A Liquid environment that has no file system, reads own properties of plain data only, and ends a render that takes
 * too long or makes too much. Compiles each template once.
 */
export function createTemplateRenderer(options: TemplateRendererOptions = {}): TemplateRenderer {
  const limits = withDefaults(defaultTemplateLimits, options.limits);
  const liquid = createLiquid(options, limits);
  const compiled = new CompiledTemplates();
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
        const parsed = compiled.get(template, compile);
        return wellFormed(
          String(liquid.renderSync(parsed, environmentOf(scope), { strictVariables })),
        );
      });
    },
    check: (template) =>
      attempt(() => {
        compiled.get(template, compile);
        return template;
      }),
  };
}

/** True for text without any Liquid, which is what it renders to. */
function isPlain(template: string): boolean {
  return !template.includes("{{") && !template.includes("{%");
}

/** Fresh for each render, since `increment` writes into it, and without a prototype. */
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

/** What is wrong and where, without a value or a secret; the library's message ends with line and column. */
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
    operators: {
      ...defaultOperators,
      contains: (left: unknown, right: unknown, context: Context) =>
        containsValue(meterOf(context), left, right),
    },
  });
  for (const name of Object.keys(liquid.tags)) if (!allowedTags.has(name)) delete liquid.tags[name];
  for (const name of Object.keys(liquid.filters)) liquid.unregisterFilter(name);
  for (const [name, guard] of libraryFilters) registerLibraryFilter(liquid, name, guard);
  registerLibraryFilter(liquid, "date", dateArguments(clock));
  registerFilters(liquid, {
    ...listFilters,
    default: defaultFilter,
    ...historyFilters(counter),
  });
  boundEmitters(liquid, limits);
  return liquid;
}

const defaultFilter: TemplateFilter = (_meter, value, [otherwise]) => {
  const isEmpty = value === undefined || value === null || value === false || value === "";
  return isEmpty || (Array.isArray(value) && value.length === 0) ? otherwise : value;
};

function meterOf(context: Context): FilterMeter {
  return {
    charge: (units) => context.memoryLimit.use(units),
    checkTime: () => context.renderLimit.check(performance.now()),
  };
}

function registerFilters(liquid: Liquid, filters: Readonly<Record<string, TemplateFilter>>): void {
  for (const [name, filter] of Object.entries(filters)) {
    liquid.registerFilter(name, function run(value: unknown, ...args: unknown[]) {
      const meter = meterOf(this.context);
      meter.checkTime();
      return filter(meter, value, args);
    });
  }
}

function registerLibraryFilter(liquid: Liquid, name: string, guard: ArgumentGuard): void {
  const handler = libraryHandler(name);
  if (handler === undefined) return;
  liquid.registerFilter(name, function run(...values: unknown[]) {
    const meter = meterOf(this.context);
    meter.checkTime();
    return handler.apply(this, guard(meter, values));
  });
}

/** Every text that a template makes, captures included, goes through an emitter with a limit; each step counts as work. */
function boundEmitters(liquid: Liquid, { maxOutputChars }: Complete<TemplateLimits>): void {
  const { renderer } = liquid;
  const renderTemplates = renderer.renderTemplates.bind(renderer);
  renderer.renderTemplates = (templates, context, emitter) => {
    context.memoryLimit.use(stepWork * (1 + templates.length));
    return renderTemplates(
      templates,
      context,
      emitter ?? new BoundedEmitter(context, maxOutputChars),
    );
  };
}
