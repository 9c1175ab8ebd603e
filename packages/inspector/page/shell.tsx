import { useEffect } from "preact/hooks";

import { ContextPage } from "./context-page.tsx";
import { CatalogPage } from "./catalog-page.tsx";
import { GatewayPage } from "./gateway-page.tsx";
import { PackPage } from "./pack-page.tsx";
import { PlansPage } from "./plans-page.tsx";
import { QueryPage } from "./query-page.tsx";
import { RunsPage } from "./runs-page.tsx";
import { useView } from "./use-view.ts";
import { visible } from "./format.ts";
import { hrefOf, type Route, useRoute } from "./route.ts";

const pages: Record<
  string,
  { title: string; Page: (props: { route: Route }) => preact.JSX.Element }
> = {
  context: { title: "Context", Page: ContextPage },
  gateway: { title: "Gateway", Page: GatewayPage },
  pack: { title: "Pack", Page: PackPage },
  runs: { title: "Runs", Page: RunsPage },
  catalog: { title: "Catalog", Page: CatalogPage },
  query: { title: "Query", Page: QueryPage },
  plans: { title: "Plans", Page: PlansPage },
};

/** The frame of all pages. */
export function Shell() {
  const route = useRoute();
  const name = pages[route.page] === undefined ? "context" : route.page;
  const { title, Page } = pages[name] ?? { title: "", Page: ContextPage };
  const { view: overview } = useView("overview");
  const missing = overview?.missing.find((one) => one.page === name);
  useEffect(() => {
    document.title = `${title} · ccl`;
  }, [title]);
  return (
    <>
      <a class="skip" href="#main" onClick={focusMain}>
        Skip to the page
      </a>
      <header>
        <strong>ccl</strong>
        <span class="muted">{visible(overview?.project ?? "")}</span>
        <nav aria-label="Pages">
          {Object.entries(pages).map(([page, { title }]) => (
            <a key={page} href={hrefOf(page)} aria-current={page === name ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
      </header>
      <main id="main" tabIndex={-1}>
        <h1>{title}</h1>
        {missing === undefined ? (
          <Page route={{ ...route, page: name }} />
        ) : (
          <p class="note">{missing.why}</p>
        )}
      </main>
    </>
  );
}

/** Moves the focus without following the link, because the URL is the route. */
function focusMain(event: Event) {
  event.preventDefault();
  document.querySelector<HTMLElement>("#main")?.focus();
}
