import { useEffect, useState } from "preact/hooks";

/** What the address says: a page and its parameters. All that is shown follows from it, so all can be linked to. */
export interface Route {
  page: string;
  parameters: Record<string, string>;
}

/** The address of a page; empty parameters are left out. */
export function hrefOf(page: string, parameters: Record<string, string | number | undefined> = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== "") query.set(name, String(value));
  const text = query.toString();
  return `#/${page}${text === "" ? "" : `?${text}`}`;
}

/** The route that the address says now; a page may still show the one before. */
export function currentRoute(): Route {
  const [page = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  return { page, parameters: Object.fromEntries(new URLSearchParams(query)) };
}

/** The route of now, and of each moment after. */
export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  useEffect(() => {
    const update = () => setRoute(currentRoute());
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return route;
}

/** Changes the address without a step in the history, as for what is being typed. */
export function replaceRoute(
  page: string,
  parameters: Record<string, string | number | undefined>,
) {
  history.replaceState(null, "", hrefOf(page, parameters));
  dispatchEvent(new HashChangeEvent("hashchange"));
}
