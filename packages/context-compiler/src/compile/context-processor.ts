import type { TokenCounter } from "@ccl/core";
import type { Session } from "../session/session.ts";
import type { WorkingContext } from "./working-context.ts";

/** What a processor is given. */
export interface ProcessorInput {
  session: Session;
  context: WorkingContext;
  /** Tokens that the whole prompt may take. */
  budget: number;
  counter: TokenCounter;
  signal?: AbortSignal | undefined;
}

/** One step of a compile. It changes nothing that it is given, and returns a new context, or the same. */
export interface ContextProcessor {
  /** For the trace. */
  readonly name: string;
  process(input: ProcessorInput): WorkingContext | Promise<WorkingContext>;
}
