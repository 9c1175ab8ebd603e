import { runAiSdk } from "./run-ai-sdk.ts";
import { runLangChain } from "./run-langchain.ts";
import { runOpenAiAgents } from "./run-openai-agents.ts";

await runAiSdk();
await runLangChain();
await runOpenAiAgents();
