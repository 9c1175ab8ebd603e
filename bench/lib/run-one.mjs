// Runs one benchmark in this process and sends its section to the parent.
const { run } = await import(`../${process.argv[2]}.mjs`);
const section = await run();
process.send(section, () => process.disconnect());
