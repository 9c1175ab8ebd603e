import {
  buildPack,
  type AliasRegistry,
  type ContextBase,
  type ContextFiles,
  type Pack,
  type PackEvent,
  type PackOptions,
  type PackStyle,
} from "@ccl/aliases";
import type { TokenCounter } from "@ccl/core";

import { CliError } from "./cli-error.ts";
import { buildDocumentPack } from "./document-pack.ts";
import { findFocus, resolveAlias } from "./project.ts";
import { gitAttachments } from "./git-attachments.ts";
import { gitHistory } from "./git-history.ts";
import type { Session } from "./session.ts";
import { openCounter, type Encoding } from "./token-counter.ts";

/** Flags that shape a pack. */
export interface PackShape {
  task?: string | undefined;
  budget: number;
  modelEncoding: Encoding;
  focus?: string[] | undefined;
  profile?: string | undefined;
  base?: boolean | undefined;
  lineNumbers?: boolean | undefined;
  include?: string[] | undefined;
  ignore?: string[] | undefined;
  style?: PackStyle | "document" | undefined;
  /** A file of rules for the model. */
  instructions?: string | undefined;
  /** The text of that file. */
  rules?: string | undefined;
  caps?: Record<string, number> | undefined;
  diff?: boolean | undefined;
  log?: number | true | undefined;
}

/** What a pack is built from. */
export interface PackSource {
  registry: AliasRegistry;
  /** The project's base; absent in a folder that is not set up. */
  files?: ContextFiles | undefined;
}

/** The task of a pack for nothing in particular. */
const ORIENTATION_TASK =
  "Get to know this project: what it is for, which parts it has, how they work together, and where a change belongs.";

const STEPS: Record<PackEvent["type"], string> = {
  files_read: "Reading files",
  files_outlined: "Outlining files",
  fitted: "Fitting",
};

/** Builds the pack that the flags describe, with what the project keeps beside its aliases. */
export async function buildProjectPack(
  session: Session,
  shape: PackShape,
  { registry, files }: PackSource,
): Promise<{ pack: Pack; counter: TokenCounter }> {
  const { signal, progress } = session;
  const options: PackOptions = {
    registry,
    task: shape.task ?? ORIENTATION_TASK,
    budget: shape.budget,
    lineNumbers: shape.lineNumbers,
    instructions: shape.rules,
    // Without a task nothing is more wanted than the rest, so a repository that fits comes out whole.
    caps:
      shape.task === undefined ? { A: shape.budget, P: shape.budget, ...shape.caps } : shape.caps,
    history: gitHistory(session),
    signal,
    onEvent: (event) => progress.update(STEPS[event.type], event.done, event.total),
  };
  if (shape.focus !== undefined) options.focus = findFocus(registry, shape.focus);
  if (shape.profile !== undefined)
    options.profile = (await resolveAlias(registry, shape.profile, session)).alias;
  const base = await files?.readBase({ signal });
  if (base !== undefined) options.version = base.version;
  if (shape.base === true) options.base = requireBase(base).snapshot;
  const counter = await openCounter(shape.modelEncoding);
  const { budget, style } = shape;
  if (style === "document") {
    const { task, version = { accepted: 0, deltas: 0, repairs: 0 } } = options;
    const documentOptions = { registry, task, budget, counter, version };
    return { pack: await buildDocumentPack(session, documentOptions), counter };
  }
  options.style = style;
  options.attachments = await gitAttachments(shape, { session, budget, counter });
  return { pack: await buildPack({ ...options, counter }), counter };
}

/** The base that a delta starts from. */
export function requireBase(base: ContextBase | undefined): ContextBase {
  if (base !== undefined) return base;
  throw new CliError(
    "not_initialized",
    'No state was accepted yet. "ccl pack --accept" makes the present one the base.',
  );
}
