import { expect } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { ModelLab } from './lab.ts';

/** The Canary is created, Serin starts, and the Canary is initialized. */
export async function initialize(lab: ModelLab, canary: KubeObject): Promise<void> {
  lab.server.create(canary);
  lab.start();
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
}
