import type { InspectorSource } from "@ccl/inspector";

import { buildProjectPack } from "../build-project-pack.ts";
import { withFiles } from "../project.ts";
import { applySettings } from "../pack-shape.ts";
import type { Session } from "../session.ts";

/** What `ccl pack` would show for a task, and why each file has its rank. Writes nothing. */
export function packView(session: Session): Required<Pick<InspectorSource, "pack">> {
  return {
    async pack({ task = "", budget = "" }, { signal }) {
      const own = { ...session, signal };
      const shape = await applySettings(own, {
        task: task === "" ? undefined : task,
        budget: Number(budget) > 0 ? Math.floor(Number(budget)) : undefined,
        modelEncoding: "o200k_base",
      });
      const { pack } = await withFiles(own, shape, ({ registry }) =>
        buildProjectPack(own, shape, { registry }),
      );
      const { tokens, isMatched, unmatched, entries, omitted, text } = pack;
      const files = [...entries, ...omitted];
      return { task, budget: shape.budget, tokens, isMatched, unmatched, files, text };
    },
  };
}
