import { fieldOf } from "../connector/answer-rows.ts";
import { QueryError } from "../query-error.ts";
import type { HttpAnswer } from "./http-client.ts";
import type { HttpPaging } from "./http-options.ts";
import { isBelow } from "./request-url.ts";

/** Returns the URL of the first page. */
export function firstPage(url: URL, paging: HttpPaging): URL {
  if (paging.by === "page") return withParameter(url, paging.parameter, paging.first ?? 1);
  return paging.by === "offset" ? withParameter(url, paging.parameter, 0) : url;
}

function withParameter(url: URL, name: string, value: string | number): URL {
  const changed = new URL(url);
  changed.searchParams.set(name, String(value));
  return changed;
}

/** The page just read, and how to get the next one. */
export interface PageState {
  paging: HttpPaging;
  answer: HttpAnswer;
  rowCount: number;
  base: URL;
}

/**
 * Returns the URL of the next page, or undefined on the last.
 * @throws QueryError `source_failed` if it is outside the base
 */
export function nextPage(url: URL, { paging, answer, rowCount, base }: PageState): URL | undefined {
  switch (paging.by) {
    case "none":
      return undefined;
    case "page":
    case "offset": {
      // Servers cap the page size, so a short page may not be the last.
      if (rowCount === 0) return undefined;
      const place = Number(url.searchParams.get(paging.parameter));
      return withParameter(url, paging.parameter, place + (paging.by === "page" ? 1 : rowCount));
    }
    case "cursor": {
      const cursor = fieldOf(answer.value, paging.cursorAt);
      if (cursor === undefined || cursor === null || cursor === "") return undefined;
      if (typeof cursor === "string" || typeof cursor === "number")
        return withParameter(url, paging.parameter, cursor);
      throw new QueryError(
        "source_failed",
        `The cursor at ${JSON.stringify(paging.cursorAt)} is neither a string nor a number.`,
      );
    }
    case "link": {
      const link = nextLink(answer.link);
      if (link === undefined) return undefined;
      const next = URL.canParse(link, url.href) ? new URL(link, url.href) : undefined;
      if (next !== undefined && isBelow(next, base)) return next;
      throw new QueryError(
        "source_failed",
        "The Link header leads to an address outside of the base address.",
      );
    }
  }
}

/**
 * Returns the target of `rel="next"` in a Link header (RFC 8288). Commas within `<>` and quotes do not separate
 * links.
 */
function nextLink(header: string | undefined): string | undefined {
  for (const [, target, parameters = ""] of (header ?? "")
    .slice(0, 16_384)
    .matchAll(/<([^>]*)>((?:[^,"]|"[^"]*")*)/g)) {
    const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,]+))/i.exec(parameters);
    if ((relation?.[1] ?? relation?.[2] ?? "").toLowerCase().split(/\s+/).includes("next"))
      return target;
  }
  return undefined;
}
