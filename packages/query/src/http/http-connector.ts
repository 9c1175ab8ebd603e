import { throwIfAborted } from "@ccl/core/async";
import type { ResourceDetails } from "@ccl/catalog";
import { answerRows, answerShape, type RowPage } from "../connector/answer-rows.ts";
import type { Connector } from "../connector/connector.ts";
import { createRowConnector, type RowRequest } from "../connector/create-row-connector.ts";
import { jsonDecoder } from "../connector/json-value.ts";
import { QueryError } from "../query-error.ts";
import { createHttpCall, type HttpAnswer, type HttpCall } from "./http-client.ts";
import type { HttpConnectorOptions, HttpPaging, HttpResource } from "./http-options.ts";
import { firstPage, nextPage } from "./http-paging.ts";
import { requestUrl } from "./request-url.ts";

/**
 * Creates a connector for a JSON API. It sends only GET requests. Conditions on columns marked `in: "query"` or
 * `in: "path"` in the catalog become parameters. It reads every page or fails the query. Time, bytes, pages and
 * waits requested by the server are limited.
 * @throws QueryError `invalid_options` for an invalid address or number
 */
export function httpConnector(options: HttpConnectorOptions): Connector {
  const base = baseOf(options);
  const { maxPages = 1_000 } = options;
  const name = options.name ?? base.host;
  const begin = (resource: string): HttpCall =>
    createHttpCall({ ...options, base, name }, resource);
  const settings = new Map(Object.entries(options.resources ?? {}));
  return createRowConnector({
    name,
    maxCalls: 100,
    decoderOf: jsonDecoder,
    read: (request) =>
      readPages({ begin, base, name, maxPages }, request, settings.get(request.resource.id) ?? {}),
  });
}

function baseOf({ baseUrl, maxPages = 1, maxBytes = 1 }: HttpConnectorOptions): URL {
  const invalid = (message: string): QueryError => new QueryError("invalid_options", message);
  for (const [key, value] of Object.entries({ maxPages, maxBytes }))
    if (!Number.isFinite(value) || value < 1)
      throw invalid(`${key} must be at least 1, not ${value}.`);
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (base === undefined || !/^https?:$/.test(base.protocol) || /[?#]/.test(base.href))
    throw invalid("baseUrl is an address like https://api.example.com/v1, without a query.");
  if (base.username === "" && base.password === "") return base;
  throw invalid("baseUrl must not contain a user or a password; pass them in auth.");
}

interface PageContext {
  begin: (resource: string) => HttpCall;
  base: URL;
  name: string;
  maxPages: number;
}

async function* readPages(
  { begin, base, name, maxPages }: PageContext,
  request: RowRequest,
  settings: HttpResource,
): AsyncGenerator<RowPage, void> {
  const { resource, signal } = request;
  const shape = answerShape(resource, settings.rowsAt);
  const paging = pagingOf(resource, settings);
  const call = begin(resource.id);
  let previous: HttpAnswer | undefined;
  let url: URL | undefined = firstPage(requestUrl(base, { ...request, settings }), paging);
  const seen = new Set<string>();
  for (let page = 1; url !== undefined; page++) {
    throwIfAborted(signal, QueryError);
    if (page > maxPages) {
      const message = `${name} has more than ${maxPages} pages of ${JSON.stringify(resource.id)}; filter, or raise maxPages.`;
      const details = { limit: "maxPages", max: maxPages };
      throw new QueryError("limit_exceeded", message, { details });
    }
    if (seen.has(url.href)) throw repeated(name, resource.id);
    seen.add(url.href);
    const answer: HttpAnswer = await call(url, signal);
    const rows = answerRows(answer.value, shape, name);
    if (rows.rowCount > 0 && previous?.text === answer.text && paging.by !== "none")
      throw repeated(name, resource.id);
    yield rows;
    previous = answer;
    url = nextPage(url, { paging, answer, rowCount: rows.rowCount, base });
  }
}

/** Creates the error for a repeated page, which would loop forever or count rows twice. */
function repeated(name: string, id: string): QueryError {
  const message = `${name} gave the same page of ${JSON.stringify(id)} twice; is its paging set right?`;
  return new QueryError("source_failed", message, { details: { resource: id } });
}

const pageParameter =
  /^(?:\$?skip|page|page_?(?:number|token)|offset|cursor|after|start_?(?:at|index))$/i;

function pagingOf(resource: ResourceDetails, { paging }: HttpResource): HttpPaging {
  if (paging !== undefined) return paging;
  const pageColumn = (resource.columns ?? []).find(
    ({ name, in: place }) => place === "query" && pageParameter.test(name),
  );
  if (pageColumn === undefined) return { by: "link" };
  const message = `${JSON.stringify(resource.id)} has a parameter ${JSON.stringify(pageColumn.name)}: say in resources how it is paged, or { by: "none" }, so that no page is left out.`;
  throw new QueryError("invalid_options", message, { details: { resource: resource.id } });
}
