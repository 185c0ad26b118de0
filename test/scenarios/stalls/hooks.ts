import { PATIENT, released, SINCE, type Stall, type Theatre } from './stall.ts';

/** Of one namespace, so that opening one gate opens no other. */
export const hookOf = (namespace: string): string => `${namespace}-hook`;

const held = ({ hooks }: Theatre, namespace: string, type: string, fields: object = {}) => {
  hooks.answers(hookOf(namespace), 403);
  return {
    analysis: {
      threshold: PATIENT,
      webhooks: [{ name: `the-${type}`, type, url: hooks.url(hookOf(namespace)), timeout: '2s', ...fields }],
    },
  };
};

function hook(namespace: string, type: string, isGate: boolean, wayOut: string): Stall {
  return {
    namespace,
    cause: new RegExp(`${type} hooks.*the-${type}: HTTP 403`),
    wayOut: new RegExp(`${SINCE}.*${wayOut}`),
    why: {
      cause: isGate ? 'GateClosed' : 'HookRejected',
      proof: /^Canary web: status\.release\.reason$/,
      clear: { others: ({ hooks }) => hooks.answers(hookOf(namespace), 200) },
    },
    play: (theatre) => released(theatre, namespace, held(theatre, namespace, type)),
  };
}

export const hookStalls: readonly Stall[] = [
  hook('gate-rollout', 'confirm-rollout', true, "without limit; the gate's owner can open it"),
  hook('gate-traffic', 'confirm-traffic-increase', true, "without limit; the gate's owner can open it"),
  hook('gate-promotion', 'confirm-promotion', true, "without limit; the gate's owner can open it"),
  hook('pre-rollout', 'pre-rollout', false, 'of \\d+ failed checks used; their owner'),
  {
    namespace: 'hook-hangs',
    cause: /the-rollout: no answer from 127\.0\.0\.1:\d+: no complete answer within 1000 ms/,
    wayOut: /next at \d{4}.*of \d+ failed checks used/,
    why: { cause: 'HookRejected', proof: /^Canary web: status\.release\.reason$/, clear: { others: ({ wake }) => wake() } },
    play: (theatre) => released(theatre, 'hook-hangs', held(theatre, 'hook-hangs', 'rollout', { url: theatre.hangingUrl, timeout: '1s' })),
  },
];

/** A release that is under way until somebody opens its gate. */
export const underWay = (theatre: Theatre, namespace: string) => held(theatre, namespace, 'confirm-promotion');
