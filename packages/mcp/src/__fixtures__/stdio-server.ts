/** How to start a server over stdio whose answers are these JavaScript expressions, of which `result` sees `params`. */
export function stdioServer(tools: unknown, result: string): { command: string; args: string[] } {
  const script = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    const result = method === "initialize"
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } }
      : method === "tools/list" ? { tools: ${JSON.stringify(tools)} } : ${result};
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });`;
  return { command: process.execPath, args: ["-e", script] };
}
