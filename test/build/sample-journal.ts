import type { JournalPart } from '../../src/engine/journal/journal-part.ts';
import { Recorder } from '../../src/engine/journal/recorder.ts';
import { aCanary, World, withHooks } from './world.ts';

/** The journal of one release, as a world records it. */
export function sampleJournal(): JournalPart {
  const parts: JournalPart[] = [];
  const recorder = new Recorder({ engine: '1.2.3', writer: 'w1', hide: () => () => '#0', keep: (part) => void parts.push(part) });
  const world = new World(
    aCanary({ stepWeight: 50, metrics: [{ name: 'rate', thresholdRange: { max: 1 } }], ...withHooks('confirm-promotion') }),
  );
  world.behaviour.verdicts = [{ check: 'rate', verdict: 'passed', value: 1, limit: 'at most 1' }];
  world.onStep = (step) => recorder.stepped(step);
  world.begin();
  world.tick();
  world.push('s1:b');
  world.tickUntil(({ phase, step }) => phase === 'Succeeded' && step === 'resting');
  const [part] = parts;
  if (!part) throw new Error('nothing was recorded');
  return JSON.parse(JSON.stringify(part));
}
