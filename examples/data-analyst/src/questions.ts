/** A question with the resources that its answer needs. */
export interface AnalystQuestion {
  task: string;
  needed: readonly string[];
  /** Columns in the cards of those resources. */
  columns: readonly string[];
}

/** In the order of the recorded answers. */
export const questions: readonly AnalystQuestion[] = [
  {
    task: "Average delay of flights by the city of the origin airport",
    needed: ["res:db.sqlite.vega.flights", "res:db.sqlite.vega.airports"],
    columns: ["delay", "origin", "iata", "city"],
  },
  {
    task: "Worldwide gross of movies by genre, converted to euros with the exchange rate",
    needed: ["res:db.sqlite.vega.movies", "res:api.rates.getRate"],
    columns: ["worldwide_gross", "major_genre", "per_usd"],
  },
  {
    task: "Moving average of the monthly stock price of each symbol",
    needed: ["res:db.sqlite.vega.stocks", "res:skill.analyst.moving_average"],
    columns: ["price", "symbol", "window"],
  },
];
