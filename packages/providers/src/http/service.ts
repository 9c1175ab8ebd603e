import type { LanguageModelError, LanguageModelErrorCode } from "@ccl/core";
import type { JsonRecord } from "@ccl/core/json";

import type { EndpointOptions } from "./endpoint.ts";
import type { ReportedError } from "./reported-error.ts";

/** What all calls to one provider share. */
export interface Service {
  provider: string;
  /** The product's name, for errors. */
  title?: string | undefined;
  baseUrl: string;
  endpoint: EndpointOptions;
  keyVariable: string | undefined;
  /** The headers that carry the key and the version. */
  headers(key: string | undefined): Record<string, string>;
  /** Reads the fields of an error body. Undefined if the body is not an error. */
  readError(body: JsonRecord): ReportedError | undefined;
  /** The code if the body implies more than the status. */
  codeOf(reported: ReportedError): LanguageModelErrorCode | undefined;
  requestIdHeaders: readonly string[];
}

/** One request to a service. */
export interface ServiceCall {
  path: string;
  body: JsonRecord;
  /** If false, no error is read as the refusal of a format. */
  asksForFormat: boolean;
  signal: AbortSignal;
}

/** Creates the error for what an answer reports. */
export type ErrorOf = (reported: ReportedError) => LanguageModelError;
