import type { CatalogSource } from "@ccl/catalog/node";

import type { Session } from "../session.ts";
import { resolveLocation } from "./catalog-source.ts";

/** The header with the token that a source's variable holds; none where it names none. */
export function tokenHeaders(
  session: Session,
  { tokenVariable }: CatalogSource,
): Record<string, string> {
  if (tokenVariable === undefined) return {};
  return {
    authorization: `Bearer ${resolveLocation(`env:${tokenVariable}`, session.terminal.env)}`,
  };
}
