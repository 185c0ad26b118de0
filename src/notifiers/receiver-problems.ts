import type { AlertProviderSpec } from '../api/alert-provider.ts';
import type { Problem } from '../api/problem.ts';
import { formats, notifierFor } from './index.ts';
import type { AlertFormat } from './notifier.ts';

/** Errors of an AlertProvider that no Secret can repair: the field, and its defect; no address is repeated. */
export function receiverProblems({ type, address, proxy, secretRef }: AlertProviderSpec): Problem[] {
  const problems: Problem[] = [];
  const { marksCommits }: AlertFormat = formats[type];
  const known = { address: 'http://address.of.the/secret/repository', token: 'token of the Secret' };
  const made = {
    address: notifierFor(type, { ...known, address: address || known.address }),
    proxy: notifierFor(type, { ...known, proxy }),
  };
  if ('problem' in made.address)
    problems.push({ path: 'spec.address', message: `${made.address.problem}${marksCommits ? '' : ': write it as in https://host/path'}` });
  if ('problem' in made.proxy)
    problems.push({ path: 'spec.proxy', message: `${made.proxy.problem}: write it as in http://proxy.namespace:3128` });
  if (marksCommits && secretRef === undefined)
    problems.push({ path: 'spec.secretRef', message: 'is absent: name a Secret whose key token may write commit statuses' });
  return problems;
}
