import type { InspectorSource } from "@ccl/inspector";

import type { UiFlags } from "../commands/ui.ts";
import type { Session } from "../session.ts";
import { promptViews } from "./prompt-views.ts";

/** All views of a project's folder and of what its user's tools keep. Reads only. */
export function inspectorSource(session: Session, flags: UiFlags): InspectorSource {
  return { ...promptViews(session, flags) };
}
