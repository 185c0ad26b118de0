import type { Life } from '../life.ts';

/** Lives of a Knative Service that once found a fault of Serin; they are always played. */
export const found: readonly { what: string; life: Life }[] = [
  {
    what: 'a push after the deletion gave users the version whose release had failed, since the pushed one was not ready',
    life: {
      seed: 7,
      hasScaler: false,
      revertOnDeletion: false,
      hasService: false,
      provider: 'knative',
      actions: [
        { at: 'resting', afterMs: 10_000, action: { do: 'push', version: 'bad-2' } },
        { at: 'resting', afterMs: 10_000, action: { do: 'delete the Canary' } },
        { at: 'resting', afterMs: 100, action: { do: 'push', version: 'broken' } },
      ],
    },
  },
];
