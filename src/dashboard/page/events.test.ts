import { expect, it } from 'vitest';
import { eventReader } from './events.ts';

const TEXT = ': open\n\nevent: list\ndata: {"rows":[]}\n\n: beat\n\nevent: row\ndata: {"a":"b: c"}\n\nevent: row\nda';
const EVENTS = [
  { name: 'list', data: '{"rows":[]}' },
  { name: 'row', data: '{"a":"b: c"}' },
];

it.each([1, 2, 3, 7, TEXT.length])('events are the same when the stream comes in pieces of %i characters', (size) => {
  const read = eventReader();
  const pieces = Array.from({ length: Math.ceil(TEXT.length / size) }, (_, nth) => TEXT.slice(nth * size, (nth + 1) * size));
  expect(pieces.flatMap(read)).toEqual(EVENTS);
});
