import type { Canary, Webhook } from '../../src/api/canary.ts';
import { parsedCanary } from './parsed-canary.ts';

/** A Canary with these webhooks, and an hour for each call: no answer is late. For tests. */
export const hookedCanary = (webhooks: Webhook[]): Canary =>
  parsedCanary({ analysis: { webhooks: webhooks.map((hook) => ({ timeout: '60m', ...hook })) } });
