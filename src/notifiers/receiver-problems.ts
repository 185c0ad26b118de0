import type { AlertProviderSpec } from '../api/alert-provider.ts';
import type { Problem } from '../api/problem.ts';
import { notifierFor } from './index.ts';

/** Errors of an AlertProvider that no Secret can repair: the field, and its defect; no address is repeated. */
export function receiverProblems({ type, address, proxy }: AlertProviderSpec): Problem[] {
  const problems: Problem[] = [];
  const ofSecret = 'http://address.of.the.secret';
  const made = { address: notifierFor(type, { address: address || ofSecret }), proxy: notifierFor(type, { address: ofSecret, proxy }) };
  if ('problem' in made.address)
    problems.push({ path: 'spec.address', message: `${made.address.problem}: write it as in https://host/path` });
  if ('problem' in made.proxy)
    problems.push({ path: 'spec.proxy', message: `${made.proxy.problem}: write it as in http://proxy.namespace:3128` });
  return problems;
}
