// The model that this machine has, or a recording of one.
import { readFile } from "node:fs/promises";

import { createScriptedModel } from "@ccl/core/testing";
import { findModel } from "@ccl/providers/environment";

/** @returns {Promise<{ model: import("@ccl/core").LanguageModel, source: string }>} */
export async function openModel(env) {
  const found = env.CCL_MODEL === "recorded" ? undefined : await findModel({ env });
  if (found !== undefined) return found;
  const file = new URL("../recorded.json", import.meta.url);
  return {
    model: createScriptedModel(JSON.parse(await readFile(file, "utf8"))),
    source: "a recording",
  };
}
