import { drawer } from '../../fakes/model/life.ts';
import type { Action, Draw, KnativeEdit, Life, Moment, Part, Timed, Version } from '../life.ts';

const EDITS: readonly KnativeEdit[] = ['all to the newest', 'half and half', 'to the first one', 'a tag', 'no annotation'];
/** A Canary that stays has a record of what the first Service had promoted. */
const ORDERS: readonly (readonly Part[])[] = [['target'], ['target', 'Canary'], ['Canary', 'target']];
/** Steps that a release of a Knative Service has. */
const MOMENTS: readonly Moment[] = ['now', 'resting', 'settling', 'analysing', 'analysing', 'writingPrimary', 'awaitingPrimary'];

/**
 * A life of a Knative Service, which follows from its seed. Knative keeps its pods to itself, so that none of them crashes or is drained; otherwise its users do
 * what the users of a Deployment do, and edit the traffic block as well.
 */
export function knativeLifeOf(seed: number): Life {
  const draw = drawer(seed * 6_700_417 + 5);
  for (let warm = 0; warm < 3; warm += 1) draw(0, 2); // neighbouring seeds begin alike
  let pushed = 1;
  const next = (kinds: readonly string[]): Version => {
    pushed += 1;
    const kind = oneOf(draw, kinds);
    return kind === 'broken' ? 'broken' : (`${kind}-${pushed}` as Version);
  };
  const revertOnDeletion = draw(0, 4) === 0;
  const actions: Timed[] = [];
  for (const length = draw(5, 12); actions.length < length; ) {
    if (draw(0, 12) === 0) actions.push(...anotherService(draw, next));
    if (draw(0, 2) === 0) {
      const version = next(['good', 'good', 'bad', 'broken']);
      actions.push({ at: 'resting', afterMs: draw(0, 5_000), action: { do: 'push', version } });
    }
    actions.push({ at: oneOf(draw, MOMENTS), afterMs: draw(0, 20_000), action: anAction(draw, next) });
  }
  return { seed, hasScaler: false, revertOnDeletion, hasService: false, provider: 'knative', actions };
}

/** Another Service of the same name, whose Revisions have the names of the first one's. */
function anotherService(draw: Draw, next: (kinds: readonly string[]) => Version): Timed[] {
  const order = oneOf(draw, ORDERS);
  return [
    { at: oneOf(draw, MOMENTS), afterMs: draw(0, 20_000), action: { do: 'helm uninstall', order, gapMs: draw(0, 10_000) } },
    { at: 'now', afterMs: draw(0, 60_000), action: { do: 'helm install', version: next(['good']) } },
  ];
}

function anAction(draw: Draw, next: (kinds: readonly string[]) => Version): Action {
  const name = `renamed-${draw(1, 1_000)}`;
  const all: readonly (() => Action)[] = [
    () => ({ do: 'push', version: next(['good', 'bad']) }),
    () => ({ do: 'push', version: next(['good', 'broken']) }),
    () => ({ do: 'push back' }),
    () => ({ do: 'delete the Canary' }),
    () => ({ do: 'create a Canary', name }),
    () => ({ do: 'replace --force' }),
    () => ({ do: 'rename', name, first: draw(0, 2) === 0 ? 'delete' : 'create' }),
    () => ({ do: 'edit the spec', stepWeight: oneOf(draw, [10, 25, 50]) }),
    () => ({ do: 'suspend' }),
    () => ({ do: 'resume' }),
    () => ({ do: 'resume' }),
    () => ({ do: 'accept' }),
    () => ({ do: 'edit the route by hand', to: oneOf(draw, EDITS) }),
    () => ({ do: 'edit the route by hand', to: oneOf(draw, EDITS) }),
    () => ({ do: 'apply the manifests again' }),
    () => ({ do: 'kill Serin', forMs: draw(1, 20_000) }),
    () => ({ do: 'kill Serin', forMs: draw(1, 20_000) }),
  ];
  return oneOf(draw, all)();
}

function oneOf<T>(draw: Draw, all: readonly T[]): T {
  const one = all[draw(0, all.length)];
  if (one === undefined) throw new Error('a draw from an empty list');
  return one;
}
