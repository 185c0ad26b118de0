import { expect, it } from 'vitest';
import { aCanary, World } from '../../../test/fakes/world.ts';
import type { NewBlocker } from '../../api/blocker.ts';
import { JournalMemory } from './journal-memory.ts';
import { JournalPart } from './journal-part.ts';
import { JournalRecorder } from './recorder.ts';
import { isSame, replay } from './replay.ts';

const SECRET = 'hunter2-do-not-show-9f8e7d6c5b4a';

/** A release that is blocked for a while, and whose routes are not accepted for another while. */
function recorded(blocker: NewBlocker): JournalPart[] {
  const parts: JournalPart[] = [];
  const world = new World(aCanary({ stepWeight: 50 })).begin();
  world.tickUntil(({ phase }) => phase === 'Initialized');
  const recorder = new JournalRecorder({
    ...{ namespace: 'test', engine: '1.2.3', writer: 'w1', memory: new JournalMemory() },
    hide: () => (text) => `#${text.length}`,
    keep: (part) => void parts.push(part),
  });
  world.onStep = (step) => recorder.stepped(step);
  world.push('s1:b');
  world.tickUntil(({ step }) => step === 'analysing');
  world.behaviour.blocker = blocker;
  world.sendFacts();
  delete world.behaviour.blocker;
  world.behaviour.unconfirmed = 'not accepted';
  world.tick();
  delete world.behaviour.unconfirmed;
  world.tickUntil(({ phase, step }) => phase === 'Succeeded' && step === 'resting');
  return parts;
}

function differences(parts: readonly JournalPart[]): unknown[] {
  return [...replay(parts.map((part) => JournalPart.parse(JSON.parse(JSON.stringify(part)))))].filter(
    (one) => 'unfit' in one || !isSame(one),
  );
}

/** The facts in the form in which a blocker was a sentence. */
function asBefore(parts: readonly JournalPart[]): JournalPart[] {
  const old = structuredClone(parts) as JournalPart[];
  for (const { facts } of old.flatMap(({ segments }) => segments.flatMap(({ entries }) => entries))) {
    if (facts === undefined) continue;
    if ('blocker' in facts) {
      facts.obstacle = facts.blocker === null ? null : 'something blocks it';
      delete facts.blocker;
    }
    if (facts.unconfirmed) facts.unconfirmed = 'not accepted';
  }
  return old;
}

const blocker = { code: 'NameTaken', object: { apiVersion: 'v1', kind: 'Service', name: 'podinfo', namespace: 'test' } } as const;

it('a journal with blockers replays to the same decisions', () => {
  const parts = recorded(blocker);
  expect(JSON.stringify(parts)).toContain('NameTaken');
  expect(differences(parts)).toEqual([]);
});

it('a journal of an older Serin, with sentences in place of blockers, replays to the same decisions', () => {
  const parts = asBefore(recorded(blocker));
  expect(JSON.stringify(parts)).toContain('something blocks it');
  expect(JSON.stringify(parts)).not.toContain('NameTaken');
  expect(differences(parts)).toEqual([]);
});

it('foreign text in a blocker is kept without strings that look like a secret', () => {
  const parts = recorded({ code: 'ApiRejected', field: `spec.x.token=${SECRET}`, detail: `denied: password=${SECRET}, token: ${SECRET}` });
  const text = JSON.stringify(parts);
  expect(text).toContain('ApiRejected');
  expect(text).toContain('denied');
  expect(text).not.toContain(SECRET);
  expect(differences(parts)).toEqual([]);
});
