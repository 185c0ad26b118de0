import type { HookType } from '../../../api/canary.ts';
import { error, warning } from '../../../api/finding.ts';
import { perCanary } from '../manifests.ts';

const CONFIRM: readonly (HookType | undefined)[] = ['confirm-rollout', 'confirm-traffic-increase', 'confirm-promotion'];

/** A rollback hook rolls back when its URL answers 200, a gate goes on: one URL for both does one of them at the wrong moment. */
export const gates = perCanary(({ canary }) => {
  const { webhooks = [] } = canary.spec.analysis;
  return webhooks.flatMap(({ type, url }, index) => {
    const gate = type === 'rollback' ? webhooks.find((other) => CONFIRM.includes(other.type) && other.url === url) : undefined;
    if (!gate) return [];
    const message = `is that of ${gate.type} ${gate.name}; the answer that opens the gate rolls the release back: give the rollback an address of its own, as in /rollback/check`;
    // The gates of the load tester do not look at the type of the call; other receivers can.
    return [(/\/gate\/\w+\/?$/.test(url) ? error : warning)(`spec.analysis.webhooks[${index}].url`, message)];
  });
});
