import { Verb } from '../../../src/api/verb-request.ts';
import { type Place, places } from './places.ts';
import { cellOf } from './table.ts';

/** A cell of the table as a user finds it: paused and not. */
export interface TriedCell {
  place: Place;
  verb: Verb;
  /** For titles. */
  title: string;
}

/** Every verb in every place. */
export const cells: readonly TriedCell[] = places.flatMap((place) =>
  Verb.options.map((verb) => {
    const cell = cellOf(place.row, verb, place.isPaused);
    const where = `${place.at}${place.isPaused ? ', paused' : ''}`;
    return { place, verb, title: `${verb} in ${where} is ${'refused' in cell ? `refused (${cell.refused})` : 'carried out'}` };
  }),
);
