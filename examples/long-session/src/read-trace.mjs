import { joinTraces, readRecordedTraces } from "./recorded-traces.mjs";
import { generateServiceTrace } from "./service-trace/generate-service-trace.mjs";

/**
 * The sessions in the folder that the environment names, joined to a single long one, or a generated one. Returns `{
 * name, messages, tools, isRecorded }`. The first message is the system prompt.
 */
export function readTrace() {
  const folder = process.env.CCL_TRACES;
  if (folder === undefined || folder === "") {
    return { ...generateServiceTrace({ seed: 7, dialogues: 10 }), isRecorded: false };
  }
  const recorded = readRecordedTraces(folder);
  if (recorded.length === 0)
    throw new Error(`CCL_TRACES names ${folder}, which holds no recorded sessions.`);
  const { name, messages, tools } = joinTraces("recorded sessions, one after the other", recorded);
  const hasSystem = messages[0]?.role === "system";
  return {
    name,
    tools,
    isRecorded: true,
    messages: hasSystem ? messages : [{ role: "system", content: "You help." }, ...messages],
  };
}
