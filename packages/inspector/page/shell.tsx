import { useEffect } from "preact/hooks";

import { ContextPage } from "./context-page.tsx";
import { GatewayPage } from "./gateway-page.tsx";
import { hrefOf, type Route, useRoute } from "./route.ts";

const pages: Record<
  string,
  { title: string; Page: (props: { route: Route }) => preact.JSX.Element }
> = {
  context: { title: "Context", Page: ContextPage },
  gateway: { title: "Gateway", Page: GatewayPage },
};

/** The frame of all pages. */
export function Shell() {
  const route = useRoute();
  const name = pages[route.page] === undefined ? "context" : route.page;
  const { title, Page } = pages[name] ?? { title: "", Page: ContextPage };
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
        <Page route={{ ...route, page: name }} />
      </main>
    </>
  );
}

/** The address is the route, so the link must not change it. */
function focusMain(event: Event) {
  event.preventDefault();
  document.querySelector<HTMLElement>("#main")?.focus();
}
