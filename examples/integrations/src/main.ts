import { runAiSdk } from "./run-ai-sdk.ts";
import { runLangGraph } from "./run-langgraph.ts";

await runAiSdk();
await runLangGraph();
