import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { JournalPart } from '../../../src/engine/journal/journal-part.ts';
import { ApiError, UnreachableError } from '../../../src/kube/errors.ts';
import { type Raw, raw } from '../raw.ts';
import { differencesIn, journalRecords, ordersTemplate, partsOf } from './journals.ts';
import { canaryRef, type ModelLab } from './lab.ts';
import { canaryOf, labOf, providers } from './life.ts';

const LIMIT_MS = 1_200_000;

export interface JournalLife {
  parts: readonly JournalPart[];
  /** Steps at which a replay decides otherwise. */
  differences: readonly object[];
  kills: number;
  faults: number;
  phase: string;
  /** Characters of the stored data. */
  bytes: number;
  /** Writes of records, and all writes of the controllers after the push. */
  recordWrites: number;
  writes: number;
}

/** One release from its push to its end; `isHarmed`: under kills of the controller, refused writes and lost answers. */
export async function playRelease(seed: number, isHarmed: boolean): Promise<JournalLife> {
  const life = {
    seed,
    provider: providers[seed % providers.length] ?? 'istio',
    delayMs: 2_000,
    plan: Math.floor(seed / 3),
    hasService: true,
  };
  const { lab, draw } = labOf(life);
  await lab.application();
  lab.server.create(ordersTemplate);
  lab.server.create(judged(canaryOf(life)));
  lab.start();
  await until(lab, () => lab.phase() === 'Initialized' && isResting(lab));
  // Some checks fail, and some releases with them.
  lab.externalMetric = () => ({ value: draw(0, 100) < (seed % 4) * 12 ? 9 : 1, afterMs: draw(0, 2_000) });
  const before = writesOf(lab).length;
  let [kills, faults] = [0, 0];
  const kill = () => {
    kills += 1;
    lab.kill();
    lab.clock.setTimer(draw(1, 20_000), () => {
      if (!lab.isUp) lab.start();
    });
  };
  if (isHarmed) {
    let left = draw(3, 20);
    lab.refuse = ({ ref }) => {
      left -= 1;
      if (left === 0 && kills < 3) {
        left = draw(5, 30);
        kill();
        throw new UnreachableError('killed', {});
      }
      if (draw(0, 12) > 0) return;
      faults += 1;
      throw draw(0, 2) === 0
        ? new UnreachableError('no answer', {})
        : new ApiError(`${ref.kind} is refused`, { status: 500, reason: 'InternalError' });
    };
  }
  lab.push('2');
  if (seed % 5 === 0) lab.clock.setTimer(draw(20_000, 60_000), () => lab.push('3'));
  if (seed % 7 === 0) suspendFor(lab, draw(10_000, 40_000), draw(1_000, 30_000));
  await until(lab, () => (raw(lab.canary())?.status?.release?.run ?? 0) > 0 && isOver(lab));
  lab.refuse = () => undefined;
  await lab.pass(30_000);
  const records = journalRecords(lab);
  const parts = partsOf(records);
  const sent = writesOf(lab).slice(before);
  const recordWrites = sent.filter(({ ref }) => ref.name.includes('-serin-journal-')).length;
  const bytes = records.reduce((sum, { data }) => sum + JSON.stringify(data).length, 0);
  const phase = lab.phase();
  lab.close();
  return { parts, differences: differencesIn(parts), kills, faults, phase, bytes, recordWrites, writes: sent.length };
}

function judged({ spec, ...canary }: Raw): KubeObject {
  const metrics = [{ name: 'orders', templateRef: { name: 'orders' }, thresholdRange: { max: 5 } }];
  return { ...canary, spec: { ...spec, analysis: { ...spec.analysis, metrics } } };
}

function suspendFor(lab: ModelLab, afterMs: number, forMs: number): void {
  const set = (suspend: boolean) => () => void lab.server.patch(canaryRef, { spec: { suspend } });
  lab.clock.setTimer(afterMs, set(true));
  lab.clock.setTimer(afterMs + forMs, set(false));
}

const writesOf = (lab: ModelLab) => lab.writesByController.flat();
const isResting = (lab: ModelLab): boolean => raw(lab.canary())?.status?.release?.step === 'resting';
const isOver = (lab: ModelLab): boolean => ['Succeeded', 'Failed'].includes(lab.phase()) && isResting(lab);

async function until(lab: ModelLab, isSo: () => boolean): Promise<void> {
  if (!(await lab.passUntil(isSo, LIMIT_MS)))
    throw new Error(`it does not come to its end: ${lab.phase()} ${raw(lab.canary())?.status?.release?.step}`);
}
