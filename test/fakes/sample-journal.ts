import { JournalMemory } from '../../src/engine/journal/journal-memory.ts';
import type { JournalPart } from '../../src/engine/journal/journal-part.ts';
import { JournalRecorder } from '../../src/engine/journal/recorder.ts';
import { aCanary, World, withHooks } from './world.ts';

/** Records what this world does from now on; called, it ends the part under way. */
export function recording(world: World): () => JournalPart {
  const parts: JournalPart[] = [];
  const recorder = new JournalRecorder({
    ...{ namespace: 'test', engine: '1.2.3', writer: 'w1', memory: new JournalMemory() },
    hide: () => () => '#0',
    keep: (part) => void parts.push(part),
  });
  world.onStep = (step) => recorder.stepped(step);
  return () => {
    recorder.stop();
    const [part] = parts;
    if (!part) throw new Error('nothing was recorded');
    return JSON.parse(JSON.stringify(part));
  };
}

/** The journal of one release. */
export function sampleJournal(): JournalPart {
  const world = new World(
    aCanary({ stepWeight: 50, metrics: [{ name: 'rate', thresholdRange: { max: 1 } }], ...withHooks('confirm-promotion') }),
  );
  world.behaviour.verdicts = [{ check: 'rate', verdict: 'passed', value: 1, limit: 'at most 1' }];
  const recorded = recording(world);
  world.begin();
  world.tick();
  world.pushUntil('s1:b', ({ phase, step }) => phase === 'Succeeded' && step === 'resting');
  return recorded();
}
