import { describe, expect, it } from 'vitest';
import { describeEach, pushed, type Stall, snapshotIn, verdict } from '../../../test/fakes/stalled-release.ts';
import { aCanary, initialized, World } from '../../../test/fakes/world.ts';
import { Phase } from '../../api/phase.ts';
import { states } from '../../engine/states/index.ts';
import { whyOf } from '../../reading/why/diagnose.ts';

const httpRoute = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', name: 'podinfo', namespace: 'test' };

/** An edit that is refused. */
const stepless = {
  reason: 'InvalidSpec',
  message: 'spec.analysis.stepWeight: is 0: set it from 1 to 100',
  field: 'spec.analysis.stepWeight',
} as const;

const stalls: readonly Stall[] = [
  {
    title: 'a primary that may not be written',
    arrange() {
      const world = initialized(aCanary({ stepWeight: 50 }));
      world.behaviour.refusesPromote = true;
      pushed(world, ({ canary, step }) => step === 'writingPrimary' && canary.status?.release?.reason !== undefined);
      return { world };
    },
    cause: 'PrimaryRejected',
    proof: ['Canary', 'status.release.reason'],
    action: /remove what refuses the primary/,
    mend({ world }) {
      world.behaviour.refusesPromote = false;
      world.tickUntil(({ step }) => step !== 'writingPrimary');
    },
  },
  {
    title: 'a release that failed',
    arrange() {
      const world = initialized(aCanary({ stepWeight: 20, threshold: 1 }));
      world.behaviour.verdicts = [verdict({ value: 3 })];
      return { world: pushed(world, ({ phase, step }) => phase === 'Failed' && step === 'resting') };
    },
    cause: 'Failed',
    proof: ['Canary', 'status.release.ending.code'],
    action: /push a corrected Deployment podinfo/,
    way: 'set Deployment podinfo spec.template',
    mend({ world }) {
      world.behaviour.verdicts = [];
      world.push('s1:c');
    },
  },
  ...[
    { of: 'that comes by itself', status: {}, action: /^wait until the primary is ready again, then push/ },
    {
      of: 'whose pods are refused',
      status: { conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'exceeded quota' }] },
      action: /^raise the quota.*; wait until the primary is ready again, then push/,
    },
  ].map(
    ({ of, status, action }): Stall => ({
      title: `a primary ${of} and has not got its last template back`,
      arrange() {
        const world = initialized(aCanary({ stepWeight: 50 }));
        world.behaviour.brokenPrimary.add('s1:b');
        pushed(world, ({ step }) => step === 'awaitingPrimary');
        world.behaviour.brokenPrimary.add('s1:a');
        world.tickUntil(({ phase, step }) => phase === 'Failed' && step === 'restoringPrimary');
        return { world, primary: { status } };
      },
      cause: 'Restoring',
      proof: ['Deployment', /^status\./],
      action,
      mend({ world }) {
        world.behaviour.brokenPrimary.clear();
        world.tickUntil(({ step }) => step === 'resting');
      },
    }),
  ),
  {
    title: 'a canary without the pods for its next share',
    arrange() {
      const limits = { min: 1, max: 20 };
      const world = initialized(aCanary({ stepWeights: [30] }), (one) => {
        one.scaler = { name: 'HorizontalPodAutoscaler/podinfo', target: limits, primary: limits };
      });
      Object.assign(world, { primaryReplicas: 10, room: { target: 1, primary: 20 } });
      world.sendFacts();
      return { world: pushed(world, ({ step }) => step === 'raising') };
    },
    cause: 'InsufficientCapacity',
    proof: ['Deployment', 'status.availableReplicas'],
    action: /ask the administrator of the cluster for more capacity/,
    mend({ world }) {
      world.room.target = 20;
      world.sendFacts();
      world.tickUntil(({ step }) => step === 'analysing');
    },
  },
  {
    title: 'a primary that is deleted during its promotion',
    arrange() {
      const world = initialized(aCanary({ stepWeight: 50 }));
      world.behaviour.brokenPrimary.add('s1:b');
      return { world: pushed(world, ({ step }) => step === 'awaitingPrimary'), primary: undefined };
    },
    cause: 'PrimaryMissing',
    proof: ['Deployment', 'metadata'],
    action: /wait until Serin has made it/,
    mend(stalled) {
      delete stalled.primary;
      stalled.world.behaviour.brokenPrimary.clear();
      stalled.world.sendFacts();
      stalled.world.tickUntil(({ phase }) => phase === 'Succeeded');
    },
  },
  {
    title: 'a canary that has just become ready',
    arrange: () => ({ world: pushed(initialized(aCanary({ stepWeight: 50 })), ({ step }) => step === 'settling') }),
    cause: 'Propagating',
    proof: ['Canary', 'status.release.step'],
    action: /it goes on by itself/,
    mend: ({ world }) => void world.tickUntil(({ step }) => step === 'analysing'),
  },
  {
    title: 'a Canary that no controller has reconciled',
    arrange: () => ({ world: new World(aCanary({ stepWeight: 20 })) }),
    cause: 'Unseen',
    proof: ['Canary', 'status.release'],
    action: /start the controller/,
    mend: ({ world }) => void world.begin(),
  },
  {
    title: 'a suspended release',
    arrange() {
      const world = pushed(initialized(aCanary({ stepWeight: 20 })));
      world.canary.spec.suspend = true;
      return { world };
    },
    cause: 'Suspended',
    proof: ['Canary', 'spec.suspend'],
    action: /set spec\.suspend to false/,
    way: 'run kubectl patch canary podinfo -n test --type merge -p \'{"spec":{"suspend":false}}\'',
    mend({ world }) {
      world.canary.spec.suspend = false;
    },
  },
  {
    title: 'a Canary that is left to another controller, which has written the condition away',
    arrange() {
      const world = pushed(initialized(aCanary({ stepWeight: 20 })));
      world.canary.metadata.annotations = { 'serin.dev/left-to-another-controller': '2026-11-29T22:00:00Z' };
      return { world };
    },
    cause: 'ForeignController',
    proof: ['Canary', 'metadata.annotations[serin.dev/left-to-another-controller]'],
    action: /stop the other controller/,
    way: 'run kubectl annotate canary podinfo -n test serin.dev/resume=v1 --overwrite',
    mend: ({ world }) => void delete world.canary.metadata.annotations,
  },
  {
    title: 'a paused release',
    arrange() {
      const world = pushed(initialized(aCanary({ stepWeight: 20 })));
      world.ask('pause', '1');
      return { world };
    },
    cause: 'Paused',
    proof: ['Canary', 'status.release.paused.by'],
    action: /resume it, promote it or roll it back/,
    way: 'run serin resume podinfo -n test',
    mend: ({ world }) => void world.ask('resume', '2'),
  },
  {
    title: 'an edit that is refused during a release',
    arrange() {
      const world = pushed(initialized(aCanary({ stepWeight: 20 })));
      world.behaviour.refused = stepless;
      return { world };
    },
    cause: 'InvalidSpec',
    proof: ['Canary', 'spec.analysis.stepWeight'],
    action: /set it from 1 to 100/,
    way: 'set Canary podinfo spec.analysis.stepWeight',
    mend({ world }) {
      delete world.behaviour.refused;
    },
  },
  {
    title: 'a route that the provider has not taken',
    arrange() {
      const world = pushed(initialized(aCanary({ stepWeight: 20 })));
      world.behaviour.unconfirmed = { object: httpRoute, detail: 'HTTPRoute podinfo: Accepted is False: no such Gateway' };
      return { world };
    },
    cause: 'RouteUnconfirmed',
    proof: ['Canary', 'status.conditions[Promoted].message'],
    action: /^correct HTTPRoute podinfo, or what it refers to$/,
    mend({ world }) {
      delete world.behaviour.unconfirmed;
    },
  },
  {
    title: 'a route that another writer changes back',
    arrange() {
      const world = pushed(initialized(aCanary({ stepWeight: 20 })));
      world.behaviour.contested = 'VirtualService podinfo: spec.http is changed back by gitops';
      return { world };
    },
    cause: 'RouteContested',
    proof: ['Canary', 'status.conditions[Promoted].message'],
    action: /take the field out of what the other writer applies/,
    mend({ world }) {
      delete world.behaviour.contested;
    },
  },
];

describeEach('a release that stands still', stalls);

it('serin why says of a release in progress, and of an idle Canary, that nothing holds it', () => {
  const world = pushed(initialized(aCanary({ stepWeight: 20 })));
  expect(whyOf(snapshotIn({ world }))).toMatchObject({ waits: true, diagnosis: { cause: 'Running' } });
  expect(whyOf(snapshotIn({ world: initialized() }))).toMatchObject({ waits: false, diagnosis: { cause: 'Resting' } });
});

it.each(Object.keys(states).filter((state) => state.includes('.')))('serin why knows what each state awaits: %s', (state) => {
  const world = initialized();
  const [phase, ...path] = state.split('.');
  const { status } = world.canary;
  const release = { ...world.release, step: path[0] ?? '' };
  if (status) world.canary = { ...world.canary, status: { ...status, phase: Phase.parse(phase), release } };
  expect(whyOf(snapshotIn({ world })).diagnosis.cause).not.toBe('Unseen');
});

it('I18: routes that are contested while the Canary is idle hold nothing up', () => {
  const world = initialized();
  world.behaviour.contested = 'VirtualService podinfo: spec.http is changed back by gitops';
  world.settle();
  expect(whyOf(snapshotIn({ world }))).toMatchObject({ waits: false, diagnosis: { cause: 'Resting' } });
});

describe('serin why of a paused release', () => {
  const pausedIn = (upset: (world: World) => void) => {
    const world = pushed(initialized(aCanary({ stepWeight: 20 })));
    world.ask('pause', '1');
    upset(world);
    const { diagnosis, also } = whyOf(snapshotIn({ world }));
    return [diagnosis.cause, ...also.map(({ cause }) => cause)];
  };

  it('names the pause before a route that is not taken yet, and the route beside it', () => {
    const causes = pausedIn(({ behaviour }) => {
      behaviour.unconfirmed = 'HTTPRoute podinfo: Accepted is False: no such Gateway';
    });
    expect(causes).toEqual(['Paused', 'RouteUnconfirmed']);
  });

  it('names the pause beside an edit that is refused', () => {
    const causes = pausedIn(({ behaviour }) => {
      behaviour.refused = stepless;
    });
    expect(causes).toEqual(['InvalidSpec', 'Paused']);
  });
});

it('serin why names beside a refused promotion the object that refuses it', () => {
  const world = initialized(aCanary({ stepWeight: 50 }));
  const object = { apiVersion: 'v1', kind: 'ResourceQuota', name: 'small', namespace: 'test' };
  Object.assign(world.behaviour, { refusesPromote: true, refusal: { code: 'QuotaExceeded', object, detail: 'PATCH' } });
  pushed(world, ({ canary, step }) => step === 'writingPrimary' && canary.status?.release?.reason !== undefined);
  const { diagnosis, also } = whyOf(snapshotIn({ world }));
  expect([diagnosis, ...also]).toMatchObject([
    { cause: 'PrimaryRejected', proof: [{ kind: 'Canary', field: 'status.release.reason' }] },
    { cause: 'QuotaExceeded', proof: [{ kind: 'ResourceQuota', name: 'small' }, {}], look: 'kubectl describe resourcequota small -n test' },
  ]);
});

it('serin why says what ended a release from the moment that it has failed, also while its pods are kept', () => {
  const world = pushed(initialized(aCanary({ stepWeight: 50 })));
  world.behaviour.verdicts = [verdict({ reason: 'errors: 7 is above 1' })];
  const steps = new Set<string>();
  world.tickUntil(({ canary, step }) => {
    if (canary.status?.phase === 'Failed') {
      steps.add(step);
      expect(whyOf(snapshotIn({ world })).diagnosis, step).toMatchObject({
        cause: 'Failed',
        action: expect.stringContaining('push a corrected Deployment podinfo'),
      });
    }
    return step === 'resting';
  });
  expect(steps.size).toBeGreaterThan(1);
});

it('serin why names the receivers of messages that wait', () => {
  const alerts = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ name, severity: 'info' as const, providerRef: { name } }));
  const world = initialized(aCanary({ stepWeight: 50, alerts }));
  world.deliversAtOnce = false;
  pushed(world);
  const undelivered = whyOf(snapshotIn({ world })).also.find(({ cause }) => cause === 'Undelivered');
  expect(undelivered?.sentence).toMatch(
    /^\d+ messages wait for their receivers: AlertProvider test\/a, .*AlertProvider test\/e, \d more\.$/,
  );
});

it('the conditions of kstatus are no warning', () => {
  const snapshot = snapshotIn({ world: initialized(aCanary({ stepWeight: 50 })) });
  const { raw } = snapshot;
  const status = raw.status as { conditions: object[] };
  status.conditions.push({ type: 'Ready', status: 'True', reason: 'Initialized', message: 'ready' });
  status.conditions.push({ type: 'Contested', status: 'True', reason: 'FieldContested', message: 'contested' });
  expect(whyOf(snapshot).also.map(({ cause }) => cause)).toEqual(['Contested']);
});
