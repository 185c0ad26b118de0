import type { Canary } from '../../../src/api/canary.ts';
import type { Delivery } from '../../../src/api/canary-status.ts';
import { alertMessage } from '../../../src/controller/notifications/alert-message.ts';
import { judgeMeasurement } from '../../../src/metrics/judge-measurement.ts';
import type { AlertMessage } from '../../../src/notifiers/notifier.ts';
import { aCanary, initialized, type World } from '../../fakes/world.ts';

const settings = { clusterName: 'prod-eu', dashboardUrl: 'https://serin.example.org', journalLimit: 10 };
const OLD = 'ghcr.io/acme/checkout:6.0.0';
const NEW = 'ghcr.io/acme/checkout:6.0.1';

/** A Canary with two gates, in a world in which revision b has another image. */
function aWorld(tell: (delivery: Delivery) => void): World {
  const gates = (['confirm-promotion', 'confirm-traffic-increase'] as const).map((type) => ({ name: type, type, url: 'http://gate' }));
  const canary = aCanary({
    stepWeight: 20,
    maxWeight: 60,
    threshold: 2,
    webhooks: [...gates, { name: 'abort', type: 'rollback', url: 'http://gate' }],
  });
  canary.metadata = { ...canary.metadata, namespace: 'shop', name: 'checkout' };
  canary.spec.targetRef.name = 'checkout';
  return initialized(canary, (world) => {
    world.nowMs = Date.UTC(2026, 0, 2, 3, 4, 5);
    world.images['s1:a'] = { checkout: OLD, proxy: 'envoyproxy/envoy:v1.33.0' };
    world.images['s1:b'] = { checkout: NEW, proxy: 'envoyproxy/envoy:v1.33.0' };
    world.onRecord = ({ release }) => {
      for (const delivery of release.deliveries ?? []) if (delivery.kind === 'alert') tell(delivery);
    };
  });
}

/** One release, up to the alert of this reason. */
function alertOf(reason: string, prepare: (world: World) => void = () => undefined): { canary: Canary; delivery: Delivery } {
  let found: Delivery | undefined;
  const world = aWorld((delivery) => {
    if (delivery.alert?.reason === reason) found ??= delivery;
  });
  prepare(world);
  if (found === undefined) world.push('s1:b');
  world.tickUntil(() => found !== undefined);
  if (found === undefined) throw new Error(`no alert ${reason}`);
  return { canary: world.canary, delivery: found };
}

const successRate = { name: 'request-success-rate', thresholdRange: { min: 99 } };
const duration = { name: 'request-duration', thresholdRange: { max: 500 } };

/** Judged as a release judges them, so that the payloads show its words. */
const failing = (world: World): void => {
  world.behaviour.verdicts = [
    { ...judgeMeasurement(successRate, 'successRate', { kind: 'value', value: 94.5 }), requests: 412 },
    { ...judgeMeasurement(duration, 'duration', { kind: 'value', value: 120 }), requests: 412 },
  ];
};

/** Each kind of alert, as the engine makes it of a release. */
const alerts = {
  initialized: alertOf('Initialized'),
  'new revision': alertOf('NewRevision'),
  'gate before more traffic': alertOf('GateClosed', ({ behaviour }) => {
    behaviour.hooks['confirm-traffic-increase'] = 'refused';
  }),
  'gate before the promotion': alertOf('GateClosed', ({ behaviour }) => {
    behaviour.hooks['confirm-promotion'] = 'refused';
  }),
  'failed checks': alertOf('Failed', failing),
  'rolled back by a hook': alertOf('Failed', ({ behaviour }) => {
    behaviour.hooks.rollback = 'passed';
  }),
  'promotion failed': alertOf('PromotionFailed', ({ behaviour }) => void behaviour.brokenPrimary.add('s1:b')),
  promoted: alertOf('Succeeded'),
};
export type KindOfAlert = keyof typeof alerts;

/** Sent messages of each kind, with a dashboard or without. */
export function messagesOfReleases(dashboardUrl = settings.dashboardUrl): Record<KindOfAlert, AlertMessage> {
  const entries = Object.entries(alerts).map(([kind, { canary, delivery }]) => [
    kind,
    alertMessage(canary, delivery, { ...settings, dashboardUrl }),
  ]);
  return Object.fromEntries(entries);
}
