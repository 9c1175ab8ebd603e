import { useEffect, useState } from "preact/hooks";

/**
 * The page and its parameters in the URL. They determine everything that is shown, so every state
 * has a link.
 */
export interface Route {
  page: string;
  parameters: Record<string, string>;
}

/** The URL of a page. Omits empty parameters. */
export function hrefOf(page: string, parameters: Record<string, string | number | undefined> = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== "") query.set(name, String(value));
  const text = query.toString();
  return `#/${page}${text === "" ? "" : `?${text}`}`;
}

/** The route of the current URL. The page may still show the previous route. */
export function currentRoute(): Route {
  const [page = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  return { page, parameters: Object.fromEntries(new URLSearchParams(query)) };
}

/** Returns the current route, and updates when it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  useEffect(() => {
    const update = () => setRoute(currentRoute());
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return route;
}

/** Changes the URL without a history entry, for example while the user types. */
export function replaceRoute(
  page: string,
  parameters: Record<string, string | number | undefined>,
) {
  history.replaceState(null, "", hrefOf(page, parameters));
  dispatchEvent(new HashChangeEvent("hashchange"));
}
