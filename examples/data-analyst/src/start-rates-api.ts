import { createServer } from "node:http";

/** An API on loopback. */
export interface RatesApi {
  url: string;
  close(): Promise<void>;
}

const rates: Readonly<Record<string, number>> = { EUR: 0.92, GBP: 0.79, JPY: 151.4, USD: 1 };

/** Exchange rates to the US dollar, with the OpenAPI document that describes them. */
export async function startRatesApi(): Promise<RatesApi> {
  let url = "";
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", url);
    const currency = /^\/rates\/([A-Z]{3})$/.exec(pathname)?.[1];
    const rate = currency === undefined ? undefined : rates[currency];
    if (pathname === "/openapi.json") response.end(JSON.stringify(documentOf(url)));
    else if (pathname === "/rates") response.end(JSON.stringify(Object.keys(rates)));
    else if (rate !== undefined) response.end(JSON.stringify({ currency, per_usd: rate }));
    else response.writeHead(404).end();
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The API has no port.");
  url = `http://127.0.0.1:${address.port}`;
  return {
    url,
    close: () =>
      new Promise((settle) => {
        server.close(() => settle());
        server.closeAllConnections();
      }),
  };
}

function documentOf(url: string): object {
  const currency = { type: "string", description: "ISO 4217 code of a currency, like EUR" };
  const json = (schema: object): object => ({
    200: { description: "Found", content: { "application/json": { schema } } },
  });
  return {
    openapi: "3.1.0",
    info: { title: "Exchange rates", version: "1" },
    servers: [{ url }],
    paths: {
      "/rates": {
        get: {
          operationId: "listCurrencies",
          summary: "Currencies that have an exchange rate",
          responses: json({ type: "array", items: currency }),
        },
      },
      "/rates/{currency}": {
        get: {
          operationId: "getRate",
          summary: "Exchange rate of a currency to the US dollar, to convert amounts of money",
          parameters: [{ name: "currency", in: "path", required: true, schema: currency }],
          responses: json({
            type: "object",
            required: ["currency", "per_usd"],
            properties: {
              currency,
              per_usd: { type: "number", description: "Units of the currency for one dollar" },
            },
          }),
        },
      },
    },
  };
}
