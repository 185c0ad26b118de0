import { expect, it } from 'vitest';
import { aCanary, initialized, type World } from '../../../test/fakes/world.ts';
import { JournalMemory } from './journal-memory.ts';
import type { JournalEntry, JournalPart } from './journal-part.ts';
import { JournalRecorder } from './recorder.ts';
import { replay } from './replay.ts';
import { suppose } from './suppose.ts';

/** The journal of a release that succeeds. */
function journal(): JournalPart {
  const world: World = initialized(aCanary({ stepWeight: 50 }));
  const parts: JournalPart[] = [];
  const recorder = new JournalRecorder({
    ...{ namespace: 'test', engine: '1.2.3', writer: 'w1', memory: new JournalMemory() },
    hide: () => () => '#0',
    keep: (part) => void parts.push(JSON.parse(JSON.stringify(part))),
  });
  world.onStep = (step) => recorder.stepped(step);
  world.push('s1:b');
  world.tickUntil(({ phase, step }) => phase === 'Succeeded' && step === 'resting');
  const [part] = parts;
  if (!part) throw new Error('nothing was recorded');
  return part;
}

const same = { facts: <F>(facts: F) => facts, answer: <A>(answer: A) => answer };
/** The first entry of this kind, changed. */
function changed(part: JournalPart, kind: JournalEntry['event'], change: (entry: Record<string, unknown>) => void): void {
  const entry = part.segments[0]?.entries.find(({ event }) => event === kind);
  if (!entry) throw new Error(`the journal lacks ${kind}`);
  change(entry);
}

it.each<[what: string, damage: (part: JournalPart) => void, says: string]>([
  [
    'facts without the time',
    (part) => changed(part, 'FACTS', (entry) => Object.assign(entry, { facts: { ...(entry.facts as object), nowMs: 'now' } })),
    'the facts of a step cannot be read at nowMs',
  ],
  [
    'facts of a Canary without an analysis',
    (part) => changed(part, 'FACTS', (entry) => Object.assign(entry, { facts: { canary: { spec: { analysis: null } } } })),
    'the facts of a step cannot be read at ',
  ],
  [
    'a state of another Serin',
    (part) => Object.assign(part.segments[0]?.from ?? {}, { value: { Progressing: 'dancing' } }),
    'this Serin has no state "Progressing.dancing" in its statechart',
  ],
  ['an answer that is missing', (part) => changed(part, 'ANSWER', (entry) => delete entry.answer), 'an answer is missing'],
  [
    'an answer that is not awaited',
    (part) => changed(part, 'FACTS', (entry) => Object.assign(entry, { event: 'ANSWER', answer: { kind: 'measure', verdicts: [] } })),
    'this Serin does not request measure at this step',
  ],
])('a journal with %s is followed to there, and the reason says why', (_, damage, says) => {
  const part = journal();
  expect([...replay([part])].filter((one) => 'unfit' in one)).toEqual([]);
  damage(part);
  const steps = [...replay([part])];
  expect(steps.at(-1)).toEqual({ unfit: expect.stringContaining(says) });
  expect(steps.filter((one) => 'unfit' in one)).toHaveLength(1);
});

it('a supposed release ends where an answer is missing', () => {
  const part = journal();
  changed(part, 'ANSWER', (entry) => delete entry.answer);
  expect(suppose([part], same).end).toMatchObject({ unknown: 'an answer is missing' });
});
