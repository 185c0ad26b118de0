import { describe, expect, it } from 'vitest';
import {
  block,
  documentedCases,
  flagsOf,
  trafficCases,
  trafficMistakes,
  UNTOUCHED,
  written,
} from '../../../test/scenarios/knative-traffic-cases.ts';
import { changeTraffic } from './change-traffic.ts';

const after = (before: string, line: string): string => written(changeTraffic(block(before), flagsOf(line)));

describe('a traffic block after a command', () => {
  it.each(trafficCases)('%s', (_, before, line, expected) => expect(after(before, line)).toBe(expected));
});

describe('the examples of the documentation', () => {
  it.each(documentedCases)('%s', (_, before, line, expected) => expect(after(before, line)).toBe(expected));
});

describe('a command that is refused', () => {
  it.each(trafficMistakes)('%s', (_, line, message) => {
    const before = block(UNTOUCHED);
    const copy = structuredClone(before);
    expect(() => changeTraffic(before, flagsOf(line))).toThrow(message);
    expect(before, 'the input is unchanged').toEqual(copy);
  });
});

it('fields that it does not know stay with their targets', () => {
  const before = [{ revisionName: 'v1', percent: 100, configurationName: 'web', extra: { a: 1 } }];
  expect(changeTraffic(before, { tag: ['v1=now'] })).toEqual([{ ...before[0], tag: 'now' }]);
});
