import type { AnalyzedDocument } from "./analyze-document.ts";
import { addToBuckets, type TermBuckets } from "./near-terms.ts";
import { searchFields } from "./searchable-fields.ts";
import type { TextWeights } from "./text-weights.ts";

/** Number of fields that are weighed apart. */
export const fieldCount: number = searchFields.length;
/** An occurrence is `field * occurrenceStep + frequency`; frequencies end below it. */
export const occurrenceStep = 4096;

/** Where one term occurs. Slots ascend; one slot may stand several times, once a field. */
export interface TermPostings {
  slots: Int32Array;
  occurrences: Uint16Array;
  size: number;
  /** Live documents that have the term. */
  documents: number;
  /** The live documents with their saturated weights, as of `epoch`. */
  impactSlots: Int32Array;
  impacts: Float64Array;
  epoch: number;
}

/** The inverted text of all slots; a slot is a document's place, never used twice between two compactions. */
export interface TextPostings {
  termIds: Map<string, number>;
  terms: string[];
  postings: TermPostings[];
  buckets: TermBuckets;
  /** Terms of each slot; undefined where it is dead. */
  slotTerms: (Int32Array | undefined)[];
  /** Field lengths, `fieldCount` a slot. */
  lengths: Uint32Array;
  totals: Float64Array;
  documents: number;
  /** Counts up with each change; what depends on averages is computed again. */
  epoch: number;
}

/** Postings of no document. */
export function createTextPostings(): TextPostings {
  return {
    termIds: new Map(),
    terms: [],
    postings: [],
    buckets: new Map(),
    slotTerms: [],
    lengths: new Uint32Array(fieldCount * 64),
    totals: new Float64Array(fieldCount),
    documents: 0,
    epoch: 1,
  };
}

/** Adds a document under a slot that is higher than all before. */
export function addPostings(text: TextPostings, slot: number, document: AnalyzedDocument): void {
  const ids = new Int32Array(document.terms.length);
  document.terms.forEach((term, at) => {
    const id = termIdOf(text, term);
    ids[at] = id;
    const postings = text.postings[id];
    const occurrences = document.occurrences[at];
    if (postings === undefined || occurrences === undefined) return;
    postings.documents += 1;
    for (const occurrence of occurrences) appendOccurrence(postings, slot, occurrence);
  });
  setLengths(text, slot, document.lengths);
  text.slotTerms[slot] = ids;
  text.documents += 1;
  text.epoch += 1;
}

/** Takes a document out; its occurrences stay until the next compaction and are skipped. */
export function removePostings(text: TextPostings, slot: number): void {
  for (const id of text.slotTerms[slot] ?? []) {
    const postings = text.postings[id];
    if (postings !== undefined) postings.documents -= 1;
  }
  for (let field = 0; field < fieldCount; field += 1) {
    text.totals[field] = (text.totals[field] ?? 0) - (text.lengths[slot * fieldCount + field] ?? 0);
  }
  text.slotTerms[slot] = undefined;
  text.documents -= 1;
  text.epoch += 1;
}

/** The id of a term, new where it is unknown. */
export function termIdOf(text: TextPostings, term: string): number {
  const known = text.termIds.get(term);
  if (known !== undefined) return known;
  return appendTerm(text, term, createTermPostings(2));
}

/** Adds a term that is not there yet, with its postings; gives its id. */
export function appendTerm(text: TextPostings, term: string, postings: TermPostings): number {
  const id = text.terms.length;
  text.termIds.set(term, id);
  text.terms.push(term);
  addToBuckets(text.buckets, term, id);
  text.postings.push(postings);
  return id;
}

/** No occurrences, and room for so many. */
export function createTermPostings(capacity: number): TermPostings {
  return {
    slots: new Int32Array(capacity),
    occurrences: new Uint16Array(capacity),
    size: 0,
    documents: 0,
    impactSlots: emptySlots,
    impacts: emptyImpacts,
    epoch: 0,
  };
}

const emptySlots = new Int32Array(0);
const emptyImpacts = new Float64Array(0);

/** Appends one occurrence; slots must not descend. */
export function appendOccurrence(postings: TermPostings, slot: number, occurrence: number): void {
  if (postings.size === postings.slots.length) {
    const capacity = Math.ceil(postings.size * 1.6) + 2;
    const slots = new Int32Array(capacity);
    slots.set(postings.slots);
    const occurrences = new Uint16Array(capacity);
    occurrences.set(postings.occurrences);
    postings.slots = slots;
    postings.occurrences = occurrences;
  }
  postings.slots[postings.size] = slot;
  postings.occurrences[postings.size] = occurrence;
  postings.size += 1;
}

/** Makes room for the lengths of so many slots. */
export function reserveLengths(text: TextPostings, slots: number): void {
  if (slots * fieldCount <= text.lengths.length) return;
  const grown = new Uint32Array(slots * fieldCount);
  grown.set(text.lengths);
  text.lengths = grown;
}

/** Sets the field lengths of a new slot. */
export function setLengths(text: TextPostings, slot: number, lengths: ArrayLike<number>): void {
  if ((slot + 1) * fieldCount > text.lengths.length)
    reserveLengths(text, Math.ceil((slot + 1) * 1.6) + 2);
  for (let field = 0; field < fieldCount; field += 1) {
    const length = lengths[field] ?? 0;
    text.lengths[slot * fieldCount + field] = length;
    text.totals[field] = (text.totals[field] ?? 0) + length;
  }
}

/** Brings a term's impacts up to date: what it adds to each document before rarity is weighed. */
export function refreshImpacts(
  text: TextPostings,
  postings: TermPostings,
  weights: TextWeights,
): void {
  if (postings.epoch === text.epoch) return;
  const factors = fieldFactors(text, weights);
  if (postings.impacts.length < postings.documents) {
    postings.impactSlots = new Int32Array(postings.documents);
    postings.impacts = new Float64Array(postings.documents);
  }
  let count = 0;
  let at = 0;
  while (at < postings.size) {
    const slot = postings.slots[at] ?? 0;
    let weight = 0;
    for (; at < postings.size && postings.slots[at] === slot; at += 1) {
      const occurrence = postings.occurrences[at] ?? 0;
      const field = Math.floor(occurrence / occurrenceStep);
      const length = text.lengths[slot * fieldCount + field] ?? 0;
      const { weight: factor, base, slope } = factors[field] ?? noFactor;
      weight += (factor * (occurrence % occurrenceStep)) / (base + slope * length);
    }
    if (text.slotTerms[slot] === undefined) continue;
    postings.impactSlots[count] = slot;
    postings.impacts[count] = weight / (weights.k1 + weight);
    count += 1;
  }
  postings.epoch = text.epoch;
}

interface FieldFactor {
  weight: number;
  base: number;
  slope: number;
}

const noFactor: FieldFactor = { weight: 0, base: 1, slope: 0 };

function fieldFactors(text: TextPostings, weights: TextWeights): FieldFactor[] {
  return searchFields.map((field, at) => {
    const average = (text.totals[at] ?? 0) / Math.max(1, text.documents);
    const discount = weights.lengthDiscounts[field];
    return {
      weight: weights.fields[field],
      base: 1 - discount,
      slope: average === 0 ? 0 : discount / average,
    };
  });
}
