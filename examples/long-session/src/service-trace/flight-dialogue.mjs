import { date, pad, person } from "./person.mjs";

const airports = [
  "JFK",
  "SEA",
  "ORD",
  "LAX",
  "DEN",
  "ATL",
  "PHX",
  "DFW",
  "MIA",
  "BOS",
  "SFO",
  "IAH",
  "EWR",
  "CLT",
];
const cabins = ["basic_economy", "economy", "business"];

/** A user who changes, books and cancels flights. */
export function flightDialogue(writer, random) {
  const owner = person(random);
  const ids = Array.from({ length: random.int(3, 7) }, () => random.code());
  const companions = Array.from({ length: random.int(0, 3) }, () => person(random));
  writer.user(
    `Hi! I'd like some help with one of my trips, and perhaps a new booking. I'm travelling soon.`,
  );
  writer.model(
    "Of course. Could you please tell me your user id, so that I can look at your profile?",
  );
  writer.user(`Sure, my user id is ${owner.userId}.`);
  writer.call(["get_user_details", { user_id: owner.userId }, profileOf(owner, companions, ids)]);
  const count = random.int(2, Math.min(6, ids.length));
  const seen = ids.slice(0, count).map((id) => reservation(random, owner, id));
  for (const one of seen)
    writer.call(["get_reservation_details", { reservation_id: one.reservation_id }, one]);
  const chosen = random.pick(seen);
  writer.model(
    `I found ${seen.length} reservation(s). The one from ${chosen.origin} to ${chosen.destination} is in ${chosen.cabin}, with ${chosen.passengers.length} passenger(s) and ${chosen.total_baggages} bags. What would you like to change about it?`,
  );
  writer.user(
    `It's the ${chosen.origin} to ${chosen.destination} one. Please look for flights on another day; I'm flexible.`,
  );
  const day = date(random);
  const options = searchFlights(writer, random, { chosen, day });
  const pickFlight = random.pick(options);
  const payment = random.pick(Object.keys(owner.payments));
  changeFlights(writer, random, { chosen, day, pickFlight, payment });
  if (random.chance(0.6))
    addBagAndBook(writer, random, { owner, companions, chosen, day, pickFlight, payment });
  for (let rounds = random.int(0, 3); rounds > 0; rounds--) {
    const other = random.pick(seen);
    writer.user("Also please cancel the other one, my plans changed.");
    writer.call([
      "cancel_reservation",
      { reservation_id: other.reservation_id },
      { ...other, status: "cancelled" },
    ]);
    writer.model(
      "It has been cancelled; the refund goes to the original payment method in 5 to 7 business days.",
    );
  }
  writer.user("No, that is all. Thank you!");
  writer.model("You're welcome, have a good flight!");
}

function searchFlights(writer, random, { chosen, day }) {
  let options = [];
  for (let tries = random.int(2, 5); tries > 0; tries--) {
    options = Array.from({ length: random.int(3, 8) }, () =>
      flight(random, chosen.origin, chosen.destination),
    );
    writer.call([
      "search_direct_flight",
      { origin: chosen.origin, destination: chosen.destination, date: day },
      options,
    ]);
  }
  if (random.chance(0.6)) {
    const stop = random.pick(airports);
    const pairs = Array.from({ length: random.int(2, 7) }, () => [
      { ...flight(random, chosen.origin, stop), date: day },
      { ...flight(random, stop, chosen.destination), date: day },
    ]);
    writer.call([
      "search_onestop_flight",
      { origin: chosen.origin, destination: chosen.destination, date: day },
      pairs,
    ]);
  }
  return options;
}

function changeFlights(writer, random, { chosen, day, pickFlight, payment }) {
  writer.model(
    `Here is what I would do:\n- Flight ${pickFlight.flight_number} on ${day}, leaving at ${pickFlight.scheduled_departure_time_est}\n- Economy at $${pickFlight.prices.economy}\n\nWhich payment method would you like to use, and do you confirm (yes/no)?`,
  );
  writer.user(
    random.pick([
      "Yes, go ahead with the card on file.",
      "Yes please, whatever payment I have is fine.",
    ]),
  );
  writer.call([
    "calculate",
    { expression: `${pickFlight.prices.economy} * ${chosen.passengers.length}` },
    String(pickFlight.prices.economy * chosen.passengers.length),
  ]);
  writer.call([
    "update_reservation_flights",
    {
      reservation_id: chosen.reservation_id,
      cabin: "economy",
      flights: [
        { flight_number: pickFlight.flight_number, date: day },
        ...chosen.flights
          .slice(1)
          .map(({ flight_number, date: on }) => ({ flight_number, date: on })),
      ],
      payment_id: payment,
    },
    { ...chosen, cabin: "economy" },
  ]);
  writer.model(
    "The flights of your reservation have been changed. Is there anything else I can help you with today?",
  );
}

function addBagAndBook(writer, random, { owner, companions, chosen, day, pickFlight, payment }) {
  writer.user(`Yes: add a bag, and book the same trip for my companion too.`);
  writer.call([
    "update_reservation_baggages",
    {
      reservation_id: chosen.reservation_id,
      total_baggages: chosen.total_baggages + 1,
      nonfree_baggages: chosen.nonfree_baggages,
      payment_id: payment,
    },
    { ...chosen, total_baggages: chosen.total_baggages + 1 },
  ]);
  const companion = companions[0] ?? chosen.passengers[0];
  writer.call([
    "book_reservation",
    {
      user_id: owner.userId,
      origin: chosen.origin,
      destination: chosen.destination,
      flight_type: "one_way",
      cabin: "economy",
      flights: [{ flight_number: pickFlight.flight_number, date: day }],
      passengers: [
        {
          first_name: companion.first ?? companion.first_name,
          last_name: companion.last ?? companion.last_name,
          dob: companion.dob,
        },
      ],
      payment_methods: [{ payment_id: payment, amount: pickFlight.prices.economy }],
      total_baggages: 0,
      nonfree_baggages: 0,
      insurance: "no",
    },
    { ...reservation(random, owner, random.code()), cabin: "economy" },
  ]);
  writer.model("Both are done. The confirmation will reach you by email. Anything else?");
}

function flight(random, origin, destination) {
  const departure = random.int(0, 20);
  return {
    flight_number: `HAT${random.int(100, 299)}`,
    origin,
    destination,
    scheduled_departure_time_est: `${pad(departure)}:00:00`,
    scheduled_arrival_time_est: `${pad(departure + random.int(1, 3))}:30:00`,
    status: "available",
    available_seats: Object.fromEntries(cabins.map((cabin) => [cabin, random.int(0, 20)])),
    prices: Object.fromEntries(
      cabins.map((cabin, tier) => [cabin, random.int(51, 90) + tier * random.int(60, 150)]),
    ),
  };
}

function reservation(random, owner, id) {
  const [origin, destination] = [random.pick(airports), random.pick(airports)];
  const legs = random.int(1, 2) * 2;
  return {
    reservation_id: id,
    user_id: owner.userId,
    origin,
    destination,
    flight_type: random.pick(["round_trip", "one_way"]),
    cabin: random.pick(cabins),
    flights: Array.from({ length: legs }, (_, leg) => ({
      origin: leg % 2 ? destination : origin,
      destination: leg % 2 ? origin : destination,
      flight_number: `HAT${random.int(100, 299)}`,
      date: date(random),
      price: random.int(60, 400),
    })),
    passengers: Array.from({ length: random.int(1, 3) }, () => {
      const who = person(random);
      return { first_name: who.first, last_name: who.last, dob: who.dob };
    }),
    payment_history: [
      { payment_id: Object.keys(owner.payments)[0], amount: random.int(200, 1500) },
    ],
    created_at: `2024-05-${pad(random.int(1, 14))}T${pad(random.int(0, 23))}:${pad(random.int(0, 59))}:12`,
    total_baggages: random.int(0, 5),
    nonfree_baggages: random.int(0, 2),
    insurance: random.pick(["yes", "no"]),
  };
}

function profileOf(owner, companions, reservations) {
  return {
    name: { first_name: owner.first, last_name: owner.last },
    address: owner.address,
    email: owner.email,
    dob: owner.dob,
    payment_methods: owner.payments,
    saved_passengers: companions.map((who) => ({
      first_name: who.first,
      last_name: who.last,
      dob: who.dob,
    })),
    membership: "silver",
    reservations,
  };
}
