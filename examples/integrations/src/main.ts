import { runAiSdk } from "./run-ai-sdk.ts";
import { runLangChain } from "./run-langchain.ts";
import { runOpenAiAgents } from "./run-openai-agents.ts";

console.log(`Three agents read twelve orders, and the task stands before them. A prompt has room for less: CCL shortens what
was read, the conversation itself stays whole, and each prompt is one that providers accept. No model is called.
`);
await runAiSdk();
await runLangChain();
await runOpenAiAgents();
console.log("\nThe task was in the last prompt of each.");
