import { fieldOf } from "../connector/answer-rows.ts";
import { QueryError } from "../query-error.ts";
import type { HttpAnswer } from "./http-client.ts";
import type { HttpPaging } from "./http-options.ts";
import { isBelow } from "./request-url.ts";

/** Returns the URL of the first page. */
export function firstPage(url: URL, paging: HttpPaging): URL {
  const first = new URL(url);
  if (paging.by === "page") first.searchParams.set(paging.parameter, String(paging.first ?? 1));
  if (paging.by === "offset") first.searchParams.set(paging.parameter, "0");
  return first;
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
      // Servers cap the page size, so a short page may not be the last.
      return rowCount === 0 ? undefined : counted(url, paging.parameter, 1);
    case "offset":
      return rowCount === 0 ? undefined : counted(url, paging.parameter, rowCount);
    case "cursor": {
      const cursor = fieldOf(answer.value, paging.cursorAt);
      if (cursor === undefined || cursor === null || cursor === "") return undefined;
      if (typeof cursor !== "string" && typeof cursor !== "number")
        throw new QueryError(
          "source_failed",
          `The cursor at ${JSON.stringify(paging.cursorAt)} is neither a string nor a number.`,
        );
      const next = new URL(url);
      next.searchParams.set(paging.parameter, String(cursor));
      return next;
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

function counted(url: URL, parameter: string, step: number): URL {
  const next = new URL(url);
  next.searchParams.set(parameter, String(Number(url.searchParams.get(parameter)) + step));
  return next;
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
