import { loadOnce } from "@ccl/core/async";

import type { OperationHandler } from "../operation/operation-context.ts";

const loadKinds = loadOnce(() => import("./kind-handlers.ts"));

/** A handler that its first call creates; that loads the code of the kinds, with their schemas and templates. */
export function lazyHandler(
  create: (kinds: typeof import("./kind-handlers.ts")) => OperationHandler,
): OperationHandler {
  const load = loadOnce(async () => create(await loadKinds()));
  return async (context) => (await load())(context);
}
