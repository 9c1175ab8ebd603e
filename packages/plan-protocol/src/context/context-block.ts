import type { ContextRequest } from "../plan/plan.ts";

/** A request for context with what it gave. */
export interface ContextBlock {
  type: "read_file" | "search" | "logs" | "env";
  /** What names it in the prompt: a path with its range, a query, a source. */
  label: string;
  text: string;
  /** Of a file's bytes; stands outside the text and is never cut. */
  sha256?: string | undefined;
  /** The lower, the longer it stays: 0 is what was asked for by name. Default 0 for files, 1 for the rest. */
  priority?: number | undefined;
}

/** What a request asks for, in its own words. */
export function nameOfRequest(request: ContextRequest): string {
  if (request.type === "read_file") return request.path;
  if (request.type === "search") return request.query;
  return request.type === "logs" ? request.source : "env";
}
