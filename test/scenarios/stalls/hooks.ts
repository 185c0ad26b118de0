import { PATIENT, released, SINCE, type Stall, type StallFixture } from './stall.ts';

/** Name of the hook of one namespace, so that opening one gate opens no other. */
export const hookOf = (namespace: string): string => `${namespace}-hook`;

const held = ({ hooks }: StallFixture, namespace: string, type: string, fields: object = {}) => {
  hooks.answers(hookOf(namespace), 403);
  return {
    analysis: {
      threshold: PATIENT,
      webhooks: [{ name: `the-${type}`, type, url: hooks.url(hookOf(namespace)), timeout: '2s', ...fields }],
    },
  };
};

function hook(namespace: string, type: string, isGate: boolean, remedy: string): Stall {
  return {
    namespace,
    cause: new RegExp(`${type} hooks.*the-${type}: HTTP 403`),
    remedy: new RegExp(`${SINCE}.*${remedy}`),
    why: {
      cause: isGate ? 'GateClosed' : 'HookRejected',
      proof: /^Canary web: status\.release\.reason$/,
      clear: { others: ({ hooks }) => hooks.answers(hookOf(namespace), 200) },
    },
    run: (fixture) => released(fixture, namespace, held(fixture, namespace, type)),
  };
}

export const hookStalls: readonly Stall[] = [
  hook('gate-rollout', 'confirm-rollout', true, 'without limit. The owner of the gate can open it'),
  hook('gate-traffic', 'confirm-traffic-increase', true, 'without limit. The owner of the gate can open it'),
  hook('gate-promotion', 'confirm-promotion', true, 'without limit. The owner of the gate can open it'),
  hook('pre-rollout', 'pre-rollout', false, 'of \\d+ failed checks used; their owner'),
  {
    namespace: 'hook-hangs',
    cause: /the-rollout: no answer from 127\.0\.0\.1:\d+: no complete answer within 1000 ms/,
    remedy: /next at \d{4}.*of \d+ failed checks used/,
    why: {
      cause: 'WebhookUnreachable',
      proof: /^Canary web: status\.release\.reason$/,
      clear: {
        set({ hooks }: StallFixture) {
          hooks.answers(hookOf('hook-hangs'), 200);
          return hooks.url(hookOf('hook-hangs'));
        },
      },
    },
    run: (fixture) => released(fixture, 'hook-hangs', held(fixture, 'hook-hangs', 'rollout', { url: fixture.hangingUrl, timeout: '1s' })),
  },
];

/** A release that is under way until its gate is opened. */
export const underWay = (fixture: StallFixture, namespace: string) => held(fixture, namespace, 'confirm-promotion');
