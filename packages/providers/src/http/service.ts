import type { LanguageModelError, LanguageModelErrorCode } from "@ccl/core";
import type { JsonRecord } from "@ccl/core/json";

import type { EndpointOptions } from "./endpoint.ts";
import type { ReportedError } from "./reported-error.ts";

/** What all calls to one provider have in common. */
export interface Service {
  provider: string;
  /** The product's name, for errors. */
  title?: string | undefined;
  baseUrl: string;
  endpoint: EndpointOptions;
  keyVariable: string | undefined;
  /** The headers that carry the key and the version. */
  headers(key: string | undefined): Record<string, string>;
  /** The fields of an error body; undefined for a body that is no error. */
  readError(body: JsonRecord): ReportedError | undefined;
  /** A code that is known from more than the status. */
  codeOf(reported: ReportedError): LanguageModelErrorCode | undefined;
  requestIdHeaders: readonly string[];
}

/** One request to a service. */
export interface ServiceCall {
  path: string;
  body: JsonRecord;
  /** Without it no error is read as the refusal of a format. */
  asksForFormat: boolean;
  signal: AbortSignal;
}

/** The error that an answer turned out to be. */
export type ErrorOf = (reported: ReportedError) => LanguageModelError;
