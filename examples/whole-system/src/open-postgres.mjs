/** PostgreSQL in a separate schema, which `close` drops. PGlite if no server is named. */
export async function openPostgres(url = process.env.CCL_POSTGRES_URL) {
  if (!url) {
    const { PGlite } = await import("@electric-sql/pglite");
    const client = new PGlite();
    return { name: "PGlite", schema: "public", client, close: () => client.close() };
  }
  const { default: pg } = await import("pg");
  const schema = `whole_${process.pid}`;
  const client = new pg.Pool({
    connectionString: url,
    options: `-c search_path=${schema}`,
    max: 10,
  });
  await client.query(`CREATE SCHEMA ${schema}`);
  return {
    name: "PostgreSQL",
    schema,
    client,
    async close() {
      await client.query(`DROP SCHEMA ${schema} CASCADE`);
      await client.end();
    },
  };
}
